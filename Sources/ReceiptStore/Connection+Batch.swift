import Postgres

extension Connection {
    /// Makes the transaction that is open one of batches, whose rows are looked up by key.
    func planForBatch() throws(PostgresError) {
        try runScript(.planForBatch)
    }

    /// Begins a batch that assesses: locks the shards of its subjects before anything else.
    @discardableResult
    func lockShards(_ shards: [Int]) throws(PostgresError) -> LockedShards {
        try planForBatch()
        return try LockedShards(shards, on: self)
    }
}

extension Query {
    /// A batch names its rows by key, so each is looked up in an index. Before a table is analyzed for the first time,
    /// say after the first million keys came in, the planner would rather read all of it, or compile the plan for
    /// longer than it runs.
    static let planForBatch = Query(
        name: "plan_for_batch",
        sql: """
            SET LOCAL enable_seqscan = off;
            SET LOCAL enable_hashjoin = off;
            SET LOCAL enable_mergejoin = off;
            SET LOCAL max_parallel_workers_per_gather = 0;
            SET LOCAL jit = off
            """)
}
