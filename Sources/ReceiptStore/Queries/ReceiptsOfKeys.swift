import Postgres

extension Query {
    /// $1 keys; the columns of `dueReceipts`, and when the key was added.
    static let receiptsOfKeys = Query(
        name: "receipts_of_keys",
        sql: """
            SELECT k.key_id, k.app_id, k.environment, k.device_ref, k.attested_time, k.added_time,
                r.bytes, r.digest, r.creation_time, r.not_before, r.expiration_time,
                r.attested_certificate_digest,
                s.shard, s.rank, s.due_time, s.state, s.attempts, s.failures,
                s.last_outcome, s.last_outcome_time
            FROM attestwatch.attested_key k
            JOIN attestwatch.receipt r ON r.key_id = k.key_id
            JOIN attestwatch.schedule s ON s.key_id = k.key_id
            WHERE k.key_id = ANY ($1::bytea[])
            """)
}
