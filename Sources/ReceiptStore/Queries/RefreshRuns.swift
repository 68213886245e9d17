import Postgres

extension Query {
    /// $1 start.
    static let beginRun = Query(
        name: "begin_run",
        sql: "INSERT INTO attestwatch.refresh_run (start_time) VALUES ($1) RETURNING run_id")

    /// $1 run, $2 end, $3…$20 the counts in the order of their columns.
    static let finishRun = Query(
        name: "finish_run",
        sql: """
            UPDATE attestwatch.refresh_run
            SET end_time = $2, due = $3, sent = $4, replaced = $5, early = $6, quiet = $7, superseded = $8, held = $9,
                quarantined = $10, failed = $11, retired = $12, lost = $13, flags_opened = $14, flags_raised = $15,
                flags_lowered = $16, flags_cleared = $17, replayed = $18, taken_in = $19, rejected = $20
            WHERE run_id = $1
            """)
}
