import Postgres

extension Query {
    /// $1 now, $2 rank, $3 due time and $4 key of the cursor (0, null, null at the start), $5 app or null, $6 limit,
    /// $7 environment, $8 shards.
    ///
    /// Each rank is read by itself, so that rows not yet due in one are never walked over to reach the next.
    static let dueReceipts = Query(
        name: "due_receipts",
        sql: """
            SELECT due.key_id, k.app_id, k.environment, k.device_ref, k.attested_time,
                r.bytes, r.digest, r.creation_time, r.not_before, r.expiration_time,
                r.attested_certificate_digest,
                due.shard, due.rank, due.due_time, due.state, due.attempts, due.failures,
                due.last_outcome, due.last_outcome_time
            FROM (
                SELECT found.key_id, found.shard, found.rank, found.due_time, found.state, found.attempts,
                    found.failures, found.last_outcome, found.last_outcome_time
                FROM generate_series($2::integer, 4) AS queue (rank)
                CROSS JOIN LATERAL (
                    SELECT s.key_id, s.shard, s.rank, s.due_time, s.state, s.attempts, s.failures,
                        s.last_outcome, s.last_outcome_time
                    FROM attestwatch.schedule s
                    JOIN attestwatch.attested_key a ON a.key_id = s.key_id
                    WHERE s.rank = queue.rank
                        AND s.state IN ('active', 'quiet')
                        AND s.due_time <= $1
                        AND (s.due_time, s.key_id) > (
                            CASE WHEN queue.rank = $2 THEN coalesce($3::timestamptz, '-infinity')
                                ELSE '-infinity' END,
                            CASE WHEN queue.rank = $2 THEN coalesce($4::bytea, '\\x') ELSE '\\x' END)
                        AND s.shard = ANY ($8::bigint[])
                        AND a.environment = $7
                        AND ($5::text IS NULL OR a.app_id = $5)
                    ORDER BY s.due_time, s.key_id
                    LIMIT $6
                ) AS found
                ORDER BY found.rank, found.due_time, found.key_id
                LIMIT $6
            ) AS due
            JOIN attestwatch.attested_key k ON k.key_id = due.key_id
            JOIN attestwatch.receipt r ON r.key_id = due.key_id
            ORDER BY due.rank, due.due_time, due.key_id
            """)
}
