import Postgres

extension Query {
    /// $1 key: the subject that it belongs to; no row where it is not on record.
    static let subjectOfKey = Query(
        name: "subject_of_key",
        sql: "SELECT subject FROM attestwatch.attested_key WHERE key_id = $1")

    /// $1 device reference, $2 app or null: its subjects, one for each app and environment that has seen it. Goes from
    /// app to app along the index, since there are few of them and many keys.
    static let subjectsOfDevice = Query(
        name: "subjects_of_device",
        sql: """
            WITH RECURSIVE place AS (
                (
                    SELECT k.app_id, k.environment
                    FROM attestwatch.attested_key k
                    WHERE k.subject >= 'device:' AND k.subject < 'device;'
                    ORDER BY k.subject
                    LIMIT 1
                )
                UNION ALL
                SELECT further.app_id, further.environment
                FROM place
                CROSS JOIN LATERAL (
                    SELECT k.app_id, k.environment
                    FROM attestwatch.attested_key k
                    -- Behind the space that ends the environment comes '!'.
                    WHERE k.subject >= 'device:' || place.app_id || ' ' || place.environment || '!'
                        AND k.subject < 'device;'
                    ORDER BY k.subject
                    LIMIT 1
                ) AS further
            )
            SELECT one.subject
            FROM place
            CROSS JOIN LATERAL (
                SELECT 'device:' || place.app_id || ' ' || place.environment || ' ' || $1::text AS subject
            ) AS one
            WHERE ($2::text IS NULL OR place.app_id = $2)
                AND EXISTS (SELECT FROM attestwatch.attested_key k WHERE k.subject = one.subject)
            ORDER BY one.subject
            """)

    /// $1 subject, $2 key to begin with or null, $3 the instant after which a reading is fresh, $4 limit: its keys,
    /// that one first and then the newest first, with the count of all of them.
    static let keysOfSubject = Query(
        name: "keys_of_subject",
        sql: """
            SELECT k.app_id, k.environment, k.device_ref, member.key_count,
                k.key_id, k.user_ref, k.attested_time, k.added_time, member.is_newest, member.is_heaviest,
                (SELECT count(*) FROM attestwatch.kept_answer a WHERE a.key_id = k.key_id),
                r.receipt_type, r.creation_time, r.not_before, r.expiration_time, r.stored_time, r.risk_metric,
                r.metric_time, r.replaced_creation_time, r.token_changed_time,
                s.last_status, s.last_server_date, s.last_trace_id, s.last_span_id, s.last_excerpt,
                s.shard, s.rank, s.due_time, s.state, s.quarantine_reason, s.attempts, s.failures, s.last_outcome,
                s.last_outcome_time, s.expired_try_time
            FROM (
                SELECT ranked.key_id, ranked.age_place, ranked.age_place = 1 AS is_newest,
                    coalesce(ranked.reading_place = 1 AND ranked.metric_time > $3, false) AS is_heaviest,
                    count(*) OVER () AS key_count
                FROM (
                    SELECT k.key_id, r.metric_time,
                        row_number() OVER (
                            ORDER BY coalesce(k.attested_time, k.added_time) DESC, k.key_id DESC) AS age_place,
                        row_number() OVER (
                            ORDER BY CASE WHEN r.metric_time > $3 THEN r.risk_metric END DESC NULLS LAST,
                                coalesce(k.attested_time, k.added_time) DESC, k.key_id DESC) AS reading_place
                    FROM attestwatch.attested_key k
                    JOIN attestwatch.receipt r ON r.key_id = k.key_id
                    WHERE k.subject = $1
                ) AS ranked
                ORDER BY ranked.key_id IS NOT DISTINCT FROM $2::bytea DESC, ranked.age_place
                LIMIT $4
            ) AS member
            JOIN attestwatch.attested_key k ON k.key_id = member.key_id
            JOIN attestwatch.receipt r ON r.key_id = member.key_id
            JOIN attestwatch.schedule s ON s.key_id = member.key_id
            ORDER BY member.key_id IS NOT DISTINCT FROM $2::bytea DESC, member.age_place
            """)

    /// $1 subject: its open flag, if there is one.
    static let flagOfSubject = Query(
        name: "flag_of_subject",
        sql: """
            SELECT level, peak_metric, opened_time, changed_time
            FROM attestwatch.flag
            WHERE subject = $1 AND closed_time IS NULL
            """)

    /// $1 subject, $2 limit: what happened last to its flags, the latest first.
    static let flagEventsOfSubject = Query(
        name: "flag_events_of_subject",
        sql: """
            SELECT e.event_time, e.kind, e.from_level, e.to_level, e.risk_metric, e.key_id, e.actor, e.verdict,
                e.note
            FROM attestwatch.flag f
            JOIN attestwatch.flag_event e ON e.flag_id = f.flag_id
            WHERE f.subject = $1
            ORDER BY e.event_id DESC
            LIMIT $2
            """)

    /// $1 key, $2 limit: its readings, the latest first.
    static let readingsOfKey = Query(
        name: "readings_of_key",
        sql: """
            SELECT creation_time, risk_metric
            FROM attestwatch.metric_reading
            WHERE key_id = $1
            ORDER BY creation_time DESC
            LIMIT $2
            """)
}
