import Postgres

extension Query {
    /// $1 now, $2 the instant before which an expired receipt that is not quiet is lost, $3 app or null. A receipt that
    /// has not been tried since it expired, for nothing ran, is not lost yet: Apple only might refuse it.
    static let endExpired = Query(
        name: "end_expired",
        sql: """
            WITH ended AS (
                UPDATE attestwatch.schedule s
                SET state = CASE WHEN s.state = 'quiet' THEN 'retired' ELSE 'lost' END
                WHERE s.state IN ('active', 'quiet')
                    AND s.expiration_time <= CASE WHEN s.state = 'quiet' THEN $1::timestamptz ELSE $2::timestamptz END
                    AND s.expiration_time <= $1
                    AND (s.state = 'quiet' OR s.last_outcome_time >= s.expiration_time)
                    AND ($3::text IS NULL OR EXISTS (
                        SELECT FROM attestwatch.attested_key a WHERE a.key_id = s.key_id AND a.app_id = $3))
                RETURNING s.state
            )
            SELECT count(*) FILTER (WHERE state = 'retired'), count(*) FILTER (WHERE state = 'lost') FROM ended
            """)
}
