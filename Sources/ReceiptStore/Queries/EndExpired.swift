import Postgres

extension Query {
    /// $1 now, $2 the instant before which an expired receipt that is not quiet is lost, if the data server had
    /// answered a try of it since it expired by then, $3 app or null. Tries are a day apart: what nothing was asked of
    /// for weeks, or could not be, is asked for a week first, since Apple only might refuse it.
    static let endExpired = Query(
        name: "end_expired",
        sql: """
            WITH ended AS (
                UPDATE attestwatch.schedule s
                SET state = CASE WHEN s.state = 'quiet' THEN 'retired' ELSE 'lost' END, ended_time = $1
                WHERE s.state IN ('active', 'quiet')
                    AND s.expiration_time <= CASE WHEN s.state = 'quiet' THEN $1::timestamptz ELSE $2::timestamptz END
                    AND s.expiration_time <= $1
                    AND (s.state = 'quiet' OR s.expired_try_time <= $2)
                    AND ($3::text IS NULL OR EXISTS (
                        SELECT FROM attestwatch.attested_key a WHERE a.key_id = s.key_id AND a.app_id = $3))
                RETURNING s.state
            )
            SELECT count(*) FILTER (WHERE state = 'retired'), count(*) FILTER (WHERE state = 'lost') FROM ended
            """)
}
