import Postgres

extension Query {
    /// $1…$11 arrays, one member a verified receipt; $12 now. Gives the keys whose stored receipt was older and is
    /// replaced, whether the token changed with it, and whether answers of any key are kept. A receipt without a metric
    /// leaves the key's newest reading as it is, with its own date.
    static let replaceReceipts = Query(
        name: "replace_receipts",
        sql: """
            UPDATE attestwatch.receipt AS r
            SET receipt_type = a.receipt_type,
                creation_time = a.creation_time,
                not_before = a.not_before,
                expiration_time = a.expiration_time,
                risk_metric = coalesce(a.risk_metric, r.risk_metric),
                metric_time = CASE WHEN a.risk_metric IS NULL THEN r.metric_time ELSE a.creation_time END,
                stored_time = $12,
                replaced_creation_time = r.creation_time,
                replaced_bytes = r.bytes,
                digest = a.digest,
                attested_certificate_digest = a.certificate_digest,
                token_digest = sha256(a.token),
                token_changed_time = CASE
                    WHEN sha256(a.token) = before.token_digest THEN before.token_changed_time ELSE $12 END,
                signer_serial = a.signer_serial,
                bytes = a.bytes
            FROM unnest(
                $1::bytea[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::bigint[],
                $7::bytea[], $8::bytea[], $9::bytea[], $10::bytea[], $11::bytea[]
            ) AS a (
                key_id, receipt_type, creation_time, not_before, expiration_time, risk_metric,
                digest, certificate_digest, token, signer_serial, bytes)
            JOIN attestwatch.receipt AS before ON before.key_id = a.key_id
            WHERE r.key_id = a.key_id AND r.creation_time < a.creation_time
            RETURNING r.key_id, r.token_digest <> before.token_digest,
                EXISTS (SELECT FROM attestwatch.kept_answer)
            """)
}
