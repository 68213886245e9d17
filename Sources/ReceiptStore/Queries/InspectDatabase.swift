import Postgres

// What is looked at before anything is kept in a database; nothing of it stays.
extension Query {
    /// Whether it is a standby, and whether transactions begin read-only.
    static let databaseState = Query(
        name: "database_state",
        sql: "SELECT pg_is_in_recovery(), current_setting('default_transaction_read_only') = 'on'")

    /// The server's clock.
    static let databaseClock = Query(name: "database_clock", sql: "SELECT clock_timestamp()")

    /// A row of a worker that never was, and the right to change every table that a run changes: rights are looked at
    /// before the first row, so no row has to be touched.
    static let tryWriting = Query(
        name: "try_writing",
        sql: """
            WITH receipts AS (UPDATE attestwatch.receipt SET bytes = bytes WHERE false),
                schedules AS (UPDATE attestwatch.schedule SET due_time = due_time WHERE false),
                leases AS (UPDATE attestwatch.shard_lease SET counter = counter WHERE false),
                budgets AS (UPDATE attestwatch.data_server SET rate = rate WHERE false),
                flags AS (UPDATE attestwatch.flag SET version = version WHERE false),
                alerts AS (UPDATE attestwatch.alert SET seen_time = seen_time WHERE false),
                runs AS (UPDATE attestwatch.refresh_run SET due = due WHERE false),
                answers AS (DELETE FROM attestwatch.kept_answer WHERE false),
                readings AS (
                    INSERT INTO attestwatch.metric_reading SELECT * FROM attestwatch.metric_reading WHERE false)
            INSERT INTO attestwatch.worker (owner, until_time) VALUES (gen_random_uuid(), 'epoch')
            """)
}
