import Postgres

// Partitions of readings, and what is older than its retention.
extension Query {
    /// $1 now: makes the partitions of this month and the next three where they are missing, and gives how many.
    static let makePartitions = Query(
        name: "make_partitions", sql: "SELECT attestwatch.make_partitions($1)")

    /// $1 the instant up to which months must have ended, $2 whether they are only asked for.
    static let dropPartitions = Query(
        name: "drop_partitions",
        sql: "SELECT partition_name, is_dropped FROM attestwatch.drop_partitions($1, $2)")

    // In the table above, whose rights a worker has. A month's partition goes as a whole.
    private static let oldReadings = """
        creation_time < $1 AND tableoid = 'attestwatch.metric_reading_default'::regclass
        """

    /// $1 the instant before which they are old.
    static let countOldReadings = Query(
        name: "count_old_readings", sql: "SELECT count(*) FROM attestwatch.metric_reading WHERE \(oldReadings)")

    /// $1 the instant before which they are old, $2 limit.
    static let removeOldReadings = Query(
        name: "remove_old_readings",
        sql: """
            DELETE FROM attestwatch.metric_reading
            WHERE \(oldReadings)
                AND ctid = ANY (ARRAY(SELECT ctid FROM attestwatch.metric_reading WHERE \(oldReadings) LIMIT $2))
            """)

    // The latest run that came to its end stays, whenever that was: it tells how long nothing has run.
    private static let oldRuns = """
        start_time < $1 AND run_id < (SELECT max(run_id) FROM attestwatch.refresh_run WHERE end_time IS NOT NULL)
        """

    /// $1 the instant before which they are old.
    static let countOldRuns = Query(
        name: "count_old_runs", sql: "SELECT count(*) FROM attestwatch.refresh_run WHERE \(oldRuns)")

    /// $1 the instant before which they are old, $2 limit.
    static let removeOldRuns = Query(
        name: "remove_old_runs",
        sql: """
            DELETE FROM attestwatch.refresh_run
            WHERE run_id IN (SELECT run_id FROM attestwatch.refresh_run WHERE \(oldRuns) ORDER BY run_id LIMIT $2)
            """)

    /// $1 the instant before which they are old.
    static let countOldRejections = Query(
        name: "count_old_rejections",
        sql: "SELECT count(*) FROM attestwatch.intake_rejected WHERE rejected_time < $1")

    /// $1 the instant before which they are old, $2 limit.
    static let removeOldRejections = Query(
        name: "remove_old_rejections",
        sql: """
            DELETE FROM attestwatch.intake_rejected
            WHERE (key_id, digest) IN (
                SELECT key_id, digest FROM attestwatch.intake_rejected WHERE rejected_time < $1 LIMIT $2)
            """)

    /// $1 the instant before which they are old.
    static let countOldAlerts = Query(
        name: "count_old_alerts", sql: "SELECT count(*) FROM attestwatch.alert WHERE closed_time < $1")

    /// $1 the instant before which they are old, $2 limit.
    static let removeOldAlerts = Query(
        name: "remove_old_alerts",
        sql: """
            DELETE FROM attestwatch.alert
            WHERE alert_id IN (SELECT alert_id FROM attestwatch.alert WHERE closed_time < $1 LIMIT $2)
            """)
}
