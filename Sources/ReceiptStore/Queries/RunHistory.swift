import Postgres

extension Query {
    /// When the schema was made. Copies and restored backups keep it, and no two databases share it.
    static let databaseBirth = Query(
        name: "database_birth",
        sql: "SELECT applied_time FROM attestwatch.schema_migration ORDER BY name LIMIT 1")

    /// No row before the first run.
    static let latestRun = Query(
        name: "latest_run",
        sql: "SELECT run_id, start_time FROM attestwatch.refresh_run ORDER BY run_id DESC LIMIT 1")

    /// The latest run that came to its end; no row before the first.
    static let lastEndedRun = Query(
        name: "last_ended_run",
        sql: """
            SELECT run_id, start_time
            FROM attestwatch.refresh_run
            WHERE end_time IS NOT NULL
            ORDER BY run_id DESC
            LIMIT 1
            """)

    /// $1 run, $2 start. After a backup has been restored another run may have its number. A run from before all that
    /// are on record has gone with its retention.
    static let runExists = Query(
        name: "run_exists",
        sql: """
            SELECT EXISTS (SELECT FROM attestwatch.refresh_run WHERE run_id = $1 AND start_time = $2)
                OR coalesce(
                    (SELECT start_time FROM attestwatch.refresh_run ORDER BY run_id LIMIT 1) > $2, false)
            """)

    /// $1 now, $2 the instant up to which a receipt expires soon, $3 since when nothing has run: what is due, a row a
    /// data server; receipts that expire, and that have, are counted where data is expected.
    static let backlog = Query(
        name: "backlog",
        sql: """
            SELECT a.environment, count(*),
                count(*) FILTER (WHERE s.state = 'active' AND s.expiration_time > $1 AND s.expiration_time <= $2),
                count(*) FILTER (WHERE s.state = 'active' AND s.expiration_time > $3 AND s.expiration_time <= $1)
            FROM attestwatch.schedule s
            JOIN attestwatch.attested_key a ON a.key_id = s.key_id
            WHERE s.state IN ('active', 'quiet') AND s.due_time <= $1
            GROUP BY a.environment
            """)
}
