import AppAttest
import Postgres

/// The merge rule: a verified receipt goes in where its creation time is later than the stored one's, whoever brings it
/// and whenever; if not, only its reading is kept.
enum ReceiptMerge {
    /// Merges receipts of keys on record, one a key, with their readings. Gives the keys whose receipt was replaced.
    static func merge(
        _ receipts: [VerifiedReceipt], now: Instant, on connection: borrowing Connection
    ) throws(PostgresError) -> Set<KeyIdentifier> {
        guard !receipts.isEmpty else { return [] }
        let replaced = try connection.all(.replaceReceipts, columns(of: receipts) + [.time(now)]) {
            rows throws(PostgresError) in try rows.keyID()
        }
        let kept = Set(replaced)
        let read = receipts.filter { $0.payload.riskMetric != nil }
        if !read.isEmpty { try connection.run(.addReadings, readings(of: read)) }
        let late = read.filter { !kept.contains($0.keyID) }
        if !late.isEmpty { try connection.run(.advanceReadings, readings(of: late)) }
        return kept
    }

    /// One array a column, in the order that `replaceReceipts` and `addReceipts` take them.
    static func columns(of receipts: [VerifiedReceipt]) -> [Parameter] {
        let payloads = receipts.map(\.payload)
        return [
            .keyIDs(receipts.map(\.keyID)),
            .words(payloads.map(\.type)),
            .times(payloads.map(\.creationTime.instant)),
            .times(payloads.map { $0.notBefore?.instant }),
            .times(payloads.map(\.expirationTime.instant)),
            .ints(payloads.map(\.riskMetric)),
            .bytesArray(receipts.map(\.digest.bytes)),
            .bytesArray(receipts.map(\.attestedCertificateDigest.bytes)),
            .bytesArray(payloads.map(\.token)),
            .bytesArray(receipts.map(\.signerSerial)),
            .bytesArray(receipts.map(\.bytes.bytes)),
        ]
    }

    /// Key, creation time and metric, one array each.
    static func readings(of receipts: [VerifiedReceipt]) -> [Parameter] {
        [
            .keyIDs(receipts.map(\.keyID)),
            .times(receipts.map(\.payload.creationTime.instant)),
            .ints(receipts.map(\.payload.riskMetric)),
        ]
    }
}
