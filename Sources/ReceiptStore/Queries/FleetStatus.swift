import Postgres

extension Query {
    /// $1 now, $2 the instant after which a reading is fresh, $3 the one before which a due row is overdue.
    static let fleetStatus = Query(
        name: "fleet_status",
        sql: """
            SELECT
                count(*) FILTER (WHERE s.state = 'active' AND r.metric_time IS NULL),
                count(*) FILTER (WHERE s.state = 'active' AND r.metric_time > $2),
                count(*) FILTER (WHERE s.state = 'quiet'),
                count(*) FILTER (WHERE s.state = 'active' AND r.metric_time <= $2),
                count(*) FILTER (WHERE s.state IN ('active', 'quiet') AND s.due_time <= $1),
                count(*) FILTER (WHERE s.state IN ('active', 'quiet') AND s.due_time <= $3),
                count(*) FILTER (WHERE s.state = 'quarantined'),
                count(*) FILTER (WHERE s.state = 'dropped'),
                count(*) FILTER (WHERE s.state = 'retired'),
                count(*) FILTER (WHERE s.state = 'lost'),
                min(s.due_time) FILTER (WHERE s.state IN ('active', 'quiet') AND s.due_time <= $1),
                min(s.expiration_time) FILTER (WHERE s.state IN ('active', 'quiet') AND s.expiration_time > $1)
            FROM attestwatch.schedule s
            JOIN attestwatch.receipt r ON r.key_id = s.key_id
            """)
}
