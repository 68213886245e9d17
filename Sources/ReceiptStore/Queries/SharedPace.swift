import Postgres

// What workers share of a data server, in elapsed time by the database's own clock.
extension Query {
    /// $1 URL: a data server that is asked for the first time.
    static let addDataServer = Query(
        name: "add_data_server",
        sql: "INSERT INTO attestwatch.data_server (url) VALUES ($1) ON CONFLICT DO NOTHING")

    /// $1 URL. The time is that of the lock: two workers never reckon from one and the same. The rate is in
    /// millionths of a request a second.
    static let lockBudget = Query(
        name: "lock_budget",
        sql: """
            WITH locked AS MATERIALIZED (
                SELECT rate, rated_time, granted_until, cut_time, paused_until
                FROM attestwatch.data_server
                WHERE url = $1
                FOR NO KEY UPDATE
            )
            SELECT clock_timestamp(), (rate * 1000000)::bigint, rated_time, granted_until, cut_time, paused_until
            FROM locked
            """)

    /// $1 URL, $2 rate in millionths of a request a second, $3 its time, $4 granted until, $5 time of the last cut,
    /// $6 paused until.
    static let writeBudget = Query(
        name: "write_budget",
        sql: """
            UPDATE attestwatch.data_server
            SET rate = $2 / 1000000.0, rated_time = $3, granted_until = $4, cut_time = $5, paused_until = $6
            WHERE url = $1
            """)

    /// $1 URLs: those that have ever given a receipt that verifies, or a 304.
    static let answeredServers = Query(
        name: "answered_servers",
        sql: "SELECT url FROM attestwatch.data_server WHERE url = ANY ($1::text[]) AND answered_time IS NOT NULL")

    /// $1 URLs, $2 now.
    static let noteAnswered = Query(
        name: "note_answered",
        sql: """
            UPDATE attestwatch.data_server SET answered_time = $2
            WHERE url = ANY ($1::text[]) AND answered_time IS NULL
            """)
}
