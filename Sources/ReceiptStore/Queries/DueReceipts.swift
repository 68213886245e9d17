import Postgres

extension Query {
    /// $1 now, $2 rank, $3 due time and $4 key of the cursor (null at the start), $5 app or null, $6 limit,
    /// $7 environment, $8 shards.
    static let dueReceipts = Query(
        name: "due_receipts",
        sql: """
            SELECT k.key_id, k.app_id, k.environment, k.device_ref, k.attested_time,
                r.bytes, r.digest, r.creation_time, r.not_before, r.expiration_time,
                r.attested_certificate_digest,
                s.shard, s.rank, s.due_time, s.state, s.attempts, s.failures,
                s.last_outcome, s.last_outcome_time
            FROM attestwatch.schedule s
            JOIN attestwatch.attested_key k ON k.key_id = s.key_id
            JOIN attestwatch.receipt r ON r.key_id = s.key_id
            WHERE s.rank = $2
                AND s.state IN ('active', 'quiet')
                AND s.due_time <= $1
                AND (s.due_time, s.key_id) > (coalesce($3::timestamptz, '-infinity'), coalesce($4::bytea, '\\x'))
                AND s.shard = ANY ($8::bigint[])
                AND k.environment = $7
                AND ($5::text IS NULL OR k.app_id = $5)
            ORDER BY s.due_time, s.key_id
            LIMIT $6
            """)
}
