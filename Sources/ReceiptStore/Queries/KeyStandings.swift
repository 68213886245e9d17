import Postgres

extension Query {
    /// $1 keys, $2 the instant after which a reading is fresh. Per key: its stored receipt, whether that has a metric
    /// of its own, when it is due, its state, and where it stands in its subject: whether it is the newest key, whether
    /// it carries the highest fresh reading, that reading, and whether the subject has so many keys that some are
    /// chosen to speak for it. Each subject is looked through once, however many of its keys are asked for.
    static let keyStandings = Query(
        name: "key_standings",
        sql: """
            WITH member AS (
                SELECT k.key_id, k.subject, k.app_id, k.environment, k.attested_time,
                    r.digest, r.receipt_type, r.creation_time, r.not_before, r.expiration_time,
                    coalesce(r.metric_time = r.creation_time, false) AS has_metric,
                    row_number() OVER by_age = 1 AS is_newest,
                    row_number() OVER by_reading = 1 AND r.metric_time > $2 AS is_heaviest,
                    max(CASE WHEN r.metric_time > $2 THEN r.risk_metric END) OVER (PARTITION BY k.subject)
                        AS risk_metric,
                    count(*) OVER (PARTITION BY k.subject) > 8 AS has_speaking_keys
                FROM (
                    SELECT DISTINCT asked.subject
                    FROM attestwatch.attested_key asked
                    WHERE asked.key_id = ANY ($1::bytea[])
                ) AS one
                JOIN attestwatch.attested_key k ON k.subject = one.subject
                JOIN attestwatch.receipt r ON r.key_id = k.key_id
                WINDOW
                    by_age AS (
                        PARTITION BY k.subject
                        ORDER BY coalesce(k.attested_time, k.added_time) DESC, k.key_id DESC),
                    by_reading AS (
                        PARTITION BY k.subject
                        ORDER BY CASE WHEN r.metric_time > $2 THEN r.risk_metric END DESC NULLS LAST,
                            coalesce(k.attested_time, k.added_time) DESC, k.key_id DESC)
            )
            SELECT m.key_id, m.subject, m.app_id, m.environment, m.attested_time,
                m.digest, m.receipt_type, m.creation_time, m.not_before, m.expiration_time, m.has_metric,
                s.due_time, s.state,
                m.is_newest, coalesce(m.is_heaviest, false), m.risk_metric, m.has_speaking_keys
            FROM member m
            LEFT JOIN attestwatch.schedule s ON s.key_id = m.key_id
            WHERE m.key_id = ANY ($1::bytea[])
            """)
}
