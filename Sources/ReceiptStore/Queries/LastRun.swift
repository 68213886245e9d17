import Postgres

extension Query {
    /// No row before the first run.
    static let lastRun = Query(
        name: "last_run",
        sql: "SELECT start_time, end_time FROM attestwatch.refresh_run ORDER BY run_id DESC LIMIT 1")
}
