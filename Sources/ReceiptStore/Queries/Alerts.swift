import Postgres

extension Query {
    /// The open alerts, the one that has lasted longest first.
    static let openAlerts = Query(
        name: "open_alerts",
        sql: """
            SELECT kind, cause, message, hint, opened_time, seen_time
            FROM attestwatch.alert
            WHERE closed_time IS NULL
            ORDER BY opened_time, alert_id
            """)

    /// The same rows, locked in one order against another run's end.
    static let openAlertsLocked = Query(
        name: "open_alerts_locked",
        sql: """
            SELECT kind, cause, message, hint, opened_time, seen_time
            FROM attestwatch.alert
            WHERE closed_time IS NULL
            ORDER BY alert_id
            FOR UPDATE
            """)

    /// $1 kinds, $2 causes, $3 messages, $4 hints, $5 now. In one order, so that no two runs wait for each other.
    static let writeAlerts = Query(
        name: "write_alerts",
        sql: """
            INSERT INTO attestwatch.alert (kind, cause, message, hint, opened_time, seen_time)
            SELECT f.kind, f.cause, f.message, f.hint, $5, $5
            FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS f (kind, cause, message, hint)
            ORDER BY f.kind COLLATE "C", f.cause COLLATE "C"
            ON CONFLICT (kind, cause) WHERE closed_time IS NULL DO UPDATE
            SET message = excluded.message, hint = excluded.hint,
                seen_time = greatest(alert.seen_time, excluded.seen_time)
            """)

    /// $1 kinds, $2 causes, $3 now.
    static let closeAlerts = Query(
        name: "close_alerts",
        sql: """
            UPDATE attestwatch.alert a
            SET closed_time = $3
            FROM unnest($1::text[], $2::text[]) AS e (kind, cause)
            WHERE a.kind = e.kind AND a.cause = e.cause AND a.closed_time IS NULL
            """)

    /// Receipts that wait for a person, by reason.
    static let quarantinedReceipts = Query(
        name: "quarantined_receipts",
        sql: """
            SELECT quarantine_reason, count(*)
            FROM attestwatch.schedule
            WHERE state IN ('quarantined', 'dropped') AND state = 'quarantined'
            GROUP BY quarantine_reason
            """)

    /// $1 the instant after which a receipt was lost lately.
    static let lostReceipts = Query(
        name: "lost_receipts",
        sql: "SELECT count(*) FROM attestwatch.schedule WHERE state = 'lost' AND ended_time > $1")

    /// $1 the instant before which a due row is late.
    static let lateReceipts = Query(
        name: "late_receipts",
        sql: """
            SELECT count(*), min(s.due_time)
            FROM generate_series(0, 4) AS queue (rank)
            JOIN attestwatch.schedule s ON s.rank = queue.rank
            WHERE s.state IN ('active', 'quiet') AND s.due_time <= $1
            """)
}
