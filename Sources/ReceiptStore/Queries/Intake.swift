import Postgres

extension Query {
    /// 0 where none waits.
    static let newestPending = Query(
        name: "newest_pending", sql: "SELECT coalesce(max(intake_id), 0) FROM attestwatch.intake")

    /// $1 app, $2 whether back-fill, $3 after this number, $4 up to this one, $5 the environments wanted, $6 limit.
    static let pendingReceipts = Query(
        name: "pending_receipts",
        sql: """
            SELECT intake_id, key_id, app_id, environment, attested_time, submitted_time,
                (extract(epoch FROM spread) * 1000000)::bigint, device_ref, user_ref, receipt, digest
            FROM attestwatch.intake
            WHERE app_id = $1 AND is_back_fill = $2 AND intake_id > $3 AND intake_id <= $4
                AND (environment IS NULL OR environment = ANY ($5::text[]))
            ORDER BY intake_id
            LIMIT $6
            """)

    /// $1 numbers. Gives those that still wait and that no other worker is about to take out; no other can then.
    static let lockPending = Query(
        name: "lock_pending",
        sql: """
            SELECT intake_id
            FROM attestwatch.intake
            WHERE intake_id = ANY ($1::bigint[])
            ORDER BY intake_id
            FOR UPDATE SKIP LOCKED
            """)

    /// $1 numbers of what was taken in. What was rejected once and now is good is rejected no more.
    static let removePending = Query(
        name: "remove_pending",
        sql: """
            WITH gone AS (
                DELETE FROM attestwatch.intake
                WHERE intake_id = ANY ($1::bigint[])
                RETURNING key_id, digest
            )
            DELETE FROM attestwatch.intake_rejected r
            USING gone g
            WHERE r.key_id = g.key_id AND r.digest = g.digest
            """)

    /// $1 numbers, $2 environments: what these receipts say, to whom it was left.
    static let nameEnvironments = Query(
        name: "name_environments",
        sql: """
            UPDATE attestwatch.intake i
            SET environment = w.environment
            FROM unnest($1::bigint[], $2::text[]) AS w (intake_id, environment)
            WHERE i.intake_id = w.intake_id AND i.environment IS NULL
            """)

    /// $1 numbers, $2 reasons, $3 details, $4 now.
    static let rejectPending = Query(
        name: "reject_pending",
        sql: """
            WITH gone AS (
                DELETE FROM attestwatch.intake i
                USING unnest($1::bigint[], $2::text[], $3::text[]) AS w (intake_id, reason, detail)
                WHERE i.intake_id = w.intake_id
                RETURNING i.key_id, i.digest, i.app_id, i.environment, i.attested_time, i.submitted_time, i.spread,
                    i.device_ref, i.user_ref, i.receipt, w.reason, w.detail
            )
            INSERT INTO attestwatch.intake_rejected AS r (
                key_id, digest, app_id, environment, attested_time, submitted_time, spread, device_ref, user_ref,
                receipt, reason, detail, rejected_time)
            SELECT key_id, digest, app_id, environment, attested_time, submitted_time, spread, device_ref, user_ref,
                receipt, reason, detail, $4
            FROM gone
            ON CONFLICT (key_id, digest) DO UPDATE
            SET app_id = excluded.app_id, environment = excluded.environment, attested_time = excluded.attested_time,
                submitted_time = excluded.submitted_time, spread = excluded.spread, device_ref = excluded.device_ref,
                user_ref = excluded.user_ref, reason = excluded.reason, detail = excluded.detail,
                rejected_time = excluded.rejected_time
            """)

    /// $1 keys, $2 when and $3 what was handed over, $4 now.
    static let noteSubmissions = Query(
        name: "note_submissions",
        sql: """
            UPDATE attestwatch.attested_key k
            SET submitted_time = s.submitted_time, submitted_digest = s.digest, taken_in_time = $4
            FROM unnest($1::bytea[], $2::timestamptz[], $3::bytea[]) AS s (key_id, submitted_time, digest)
            WHERE k.key_id = s.key_id AND (k.submitted_time IS NULL OR k.submitted_time <= s.submitted_time)
            """)

    /// $1 the instant before which what waits is late. The largest groups: names that nobody has configured are without
    /// number.
    static let waitingIntake = Query(
        name: "waiting_intake",
        sql: """
            SELECT app_id, environment, count(*), count(*) FILTER (WHERE submitted_time <= $1), min(submitted_time)
            FROM attestwatch.intake
            GROUP BY app_id, environment
            ORDER BY count(*) DESC, app_id, environment
            LIMIT 1000
            """)

    /// What waits, and what was rejected.
    static let countSubmissions = Query(
        name: "count_submissions",
        sql: """
            SELECT (SELECT count(*) FROM attestwatch.intake), (SELECT count(*) FROM attestwatch.intake_rejected)
            """)
}
