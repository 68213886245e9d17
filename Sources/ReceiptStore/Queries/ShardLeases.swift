import Postgres

// Who holds which shard, in elapsed time by the database's own clock.
extension Query {
    /// $1 shards. Always the first lock of a transaction that assesses, in the shards' order, so that two such
    /// transactions neither assess one subject side by side nor wait for each other in a circle. Gives who holds each
    /// shard, null for nobody any more, and the microseconds that are left.
    ///
    /// A plain read would tell of the past: only who has locked the row knows that the lease stays as it is.
    static let lockShards = Query(
        name: "lock_shards",
        sql: """
            SELECT shard, CASE WHEN until_time > clock_timestamp() THEN owner::text END, counter,
                (extract(epoch FROM until_time - clock_timestamp()) * 1000000)::bigint
            FROM attestwatch.shard_lease
            WHERE shard = ANY ($1::bigint[])
            ORDER BY shard
            FOR NO KEY UPDATE
            """)

    /// $1 owner, $2 the lease's length in microseconds: the worker lives.
    static let signOfLife = Query(
        name: "sign_of_life",
        sql: """
            INSERT INTO attestwatch.worker (owner, until_time)
            VALUES ($1::text::uuid, clock_timestamp() + $2 * interval '1 microsecond')
            ON CONFLICT (owner) DO UPDATE SET until_time = excluded.until_time
            """)

    /// Workers that have died. One that another worker is about to take away is left to that one.
    static let buryWorkers = Query(
        name: "bury_workers",
        sql: """
            DELETE FROM attestwatch.worker
            WHERE owner IN (
                SELECT owner FROM attestwatch.worker WHERE until_time <= clock_timestamp() FOR UPDATE SKIP LOCKED)
            """)

    /// How many workers live.
    static let countWorkers = Query(
        name: "count_workers",
        sql: "SELECT count(*) FROM attestwatch.worker WHERE until_time > clock_timestamp()")

    /// $1 shards, $2 owner, $3 the lease's length in microseconds, $4 whether they change hands.
    static let writeLeases = Query(
        name: "write_leases",
        sql: """
            UPDATE attestwatch.shard_lease
            SET owner = $2::text::uuid,
                until_time = clock_timestamp() + $3 * interval '1 microsecond',
                counter = counter + CASE WHEN $4 THEN 1 ELSE 0 END
            WHERE shard = ANY ($1::bigint[])
            """)

    /// $1 shards.
    static let clearLeases = Query(
        name: "clear_leases",
        sql: "UPDATE attestwatch.shard_lease SET owner = NULL, until_time = NULL WHERE shard = ANY ($1::bigint[])")

    /// $1 owner: it has ended in good order.
    static let removeWorker = Query(
        name: "remove_worker", sql: "DELETE FROM attestwatch.worker WHERE owner = $1::text::uuid")

    /// $1 shards, $2 now, $3 app or null: those in which rows are due, and the sign of life of who holds them;
    /// always the same where nobody does.
    static let dueShards = Query(
        name: "due_shards",
        sql: """
            SELECT l.shard, l.counter, coalesce(w.until_time, l.until_time, 'epoch')
            FROM attestwatch.shard_lease l
            LEFT JOIN attestwatch.worker w ON w.owner = l.owner
            WHERE l.shard = ANY ($1::bigint[])
                AND EXISTS (
                    SELECT
                    FROM generate_series(0, 4) AS queue (rank)
                    CROSS JOIN LATERAL (
                        SELECT
                        FROM attestwatch.schedule s
                        WHERE s.shard = l.shard
                            AND s.rank = queue.rank
                            AND s.state IN ('active', 'quiet')
                            AND s.due_time <= $2
                            AND ($3::text IS NULL OR EXISTS (
                                SELECT FROM attestwatch.attested_key a WHERE a.key_id = s.key_id AND a.app_id = $3))
                        LIMIT 1
                    ) AS due)
            """)
}
