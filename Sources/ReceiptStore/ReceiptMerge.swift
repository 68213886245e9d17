import AppAttest
import Postgres

/// How verified receipts go in: the later creation time wins, in whatever order and by whichever way two receipts of a
/// key arrive. The one that loses leaves its reading.
enum ReceiptMerge {
    /// What a merge did.
    struct Merged {
        /// The keys whose receipt was replaced.
        var replaced: Set<KeyIdentifier> = []
        /// Those of them whose new receipt has another token: recorded, never refused.
        var tokenChanged: Set<KeyIdentifier> = []
        /// The keys whose reading is older than the retention, and so not among the readings.
        var outdated: Set<KeyIdentifier> = []
    }

    /// Merges receipts of keys on record, one a key, with their readings; kept answers that they overtake go.
    ///
    /// - Parameter oldest: the creation time from which on a reading is kept.
    static func merge(
        _ receipts: [VerifiedReceipt], now: Instant, keepingFrom oldest: Instant, on connection: borrowing Connection
    ) throws(PostgresError) -> Merged {
        guard !receipts.isEmpty else { return Merged() }
        var merged = Merged()
        var rows = try connection.run(.replaceReceipts, columns(of: receipts) + [.time(now)])
        var keepsAnswers = false
        while rows.next() {
            let keyID = try rows.keyID()
            if try rows.read(Bool.self) { merged.tokenChanged.insert(keyID) }
            // The same in every row.
            if merged.replaced.isEmpty { keepsAnswers = try rows.read() }
            merged.replaced.insert(keyID)
        }
        if keepsAnswers { try KeptAnswers.forget(overtakenIn: merged.replaced, on: connection) }
        let read = receipts.filter { $0.payload.riskMetric != nil }
        merged.outdated = try addReadings(of: read, keepingFrom: oldest, on: connection)
        let late = read.filter { !merged.replaced.contains($0.keyID) }
        if !late.isEmpty { try connection.run(.advanceReadings, readings(of: late)) }
        return merged
    }

    /// Adds the readings of receipts that have one, but for those that are older than `oldest`: a month that has been
    /// taken away does not come back.
    ///
    /// - Returns: the keys of those.
    static func addReadings(
        of receipts: [VerifiedReceipt], keepingFrom oldest: Instant, on connection: borrowing Connection
    ) throws(PostgresError) -> Set<KeyIdentifier> {
        let outdated = Set(receipts.filter { $0.payload.creationTime.instant < oldest }.map(\.keyID))
        let kept = outdated.isEmpty ? receipts : receipts.filter { !outdated.contains($0.keyID) }
        if !kept.isEmpty { try connection.run(.addReadings, readings(of: kept)) }
        return outdated
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
