import Postgres

extension Query {
    /// $1…$5 arrays, one member a key just added.
    static let addSchedule = Query(
        name: "add_schedule",
        sql: """
            INSERT INTO attestwatch.schedule (key_id, shard, rank, due_time, expiration_time)
            SELECT a.key_id, a.shard, a.rank, a.due_time, a.expiration_time
            FROM unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::timestamptz[], $5::timestamptz[])
                AS a (key_id, shard, rank, due_time, expiration_time)
            """)
}
