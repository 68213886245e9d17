import Postgres

extension Query {
    /// $1 keys, $2 the instant after which a reading is fresh. Per key: its stored receipt, when it is due, and where
    /// it stands in its subject: whether it is the newest key, whether it carries the highest fresh reading, and that
    /// reading.
    ///
    /// Each subject is looked through once, however many of its keys are asked for.
    static let keyStandings = Query(
        name: "key_standings",
        sql: """
            WITH asked AS MATERIALIZED (
                SELECT k.key_id, k.subject, k.app_id, k.environment, k.attested_time
                FROM unnest($1::bytea[]) AS wanted (key_id)
                JOIN attestwatch.attested_key k ON k.key_id = wanted.key_id
            ),
            subject AS MATERIALIZED (
                SELECT one.subject, whole.newest_key_id, whole.heaviest_key_id, whole.risk_metric
                FROM (SELECT DISTINCT asked.subject FROM asked) AS one
                CROSS JOIN LATERAL (
                    SELECT
                        (array_agg(k.key_id ORDER BY coalesce(k.attested_time, k.added_time) DESC, k.key_id DESC))[1]
                            AS newest_key_id,
                        (array_agg(
                            k.key_id
                            ORDER BY r.risk_metric DESC, coalesce(k.attested_time, k.added_time) DESC, k.key_id DESC
                        ) FILTER (WHERE r.metric_time > $2))[1] AS heaviest_key_id,
                        max(r.risk_metric) FILTER (WHERE r.metric_time > $2) AS risk_metric
                    FROM attestwatch.attested_key k
                    JOIN attestwatch.receipt r ON r.key_id = k.key_id
                    WHERE k.subject = one.subject
                ) AS whole
            )
            SELECT a.key_id, a.subject, a.app_id, a.environment, a.attested_time,
                r.digest, r.receipt_type, r.creation_time, r.not_before, r.expiration_time, s.due_time,
                a.key_id = u.newest_key_id,
                coalesce(a.key_id = u.heaviest_key_id, false),
                u.risk_metric
            FROM asked a
            JOIN subject u ON u.subject = a.subject
            JOIN attestwatch.receipt r ON r.key_id = a.key_id
            LEFT JOIN attestwatch.schedule s ON s.key_id = a.key_id
            """)
}
