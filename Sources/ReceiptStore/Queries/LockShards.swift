import Postgres

extension Query {
    /// $1 shards. Always the first lock of a transaction that assesses, in the shards' order, so that two such
    /// transactions neither assess one subject side by side nor wait for each other in a circle.
    static let lockShards = Query(
        name: "lock_shards",
        sql: """
            SELECT shard
            FROM attestwatch.shard_lease
            WHERE shard = ANY ($1::bigint[])
            ORDER BY shard
            FOR NO KEY UPDATE
            """)
}
