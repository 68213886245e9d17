import Postgres

extension Query {
    /// Parameters as `replaceReceipts`: the first receipts of keys just added.
    static let addReceipts = Query(
        name: "add_receipts",
        sql: """
            INSERT INTO attestwatch.receipt (
                key_id, receipt_type, creation_time, not_before, expiration_time, risk_metric, metric_time, stored_time,
                digest, attested_certificate_digest, token_digest, signer_serial, bytes)
            SELECT a.key_id, a.receipt_type, a.creation_time, a.not_before, a.expiration_time, a.risk_metric,
                CASE WHEN a.risk_metric IS NOT NULL THEN a.creation_time END, $12,
                a.digest, a.certificate_digest, sha256(a.token), a.signer_serial, a.bytes
            FROM unnest(
                $1::bytea[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::bigint[],
                $7::bytea[], $8::bytea[], $9::bytea[], $10::bytea[], $11::bytea[]
            ) AS a (
                key_id, receipt_type, creation_time, not_before, expiration_time, risk_metric,
                digest, certificate_digest, token, signer_serial, bytes)
            """)
}
