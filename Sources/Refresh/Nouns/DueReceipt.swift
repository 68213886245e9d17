import AppAttest

/// A due row as the store hands it to the run: what to send, what an answer must agree with, and where the row stands.
///
/// A class because it goes from room to room, hundreds at a time: a copy counts one reference, not one a field.
package final class DueReceipt: Hashable, Sendable {
    /// The attested key that the receipt speaks of.
    package let keyID: KeyIdentifier
    /// Field 2 of the stored receipt.
    package let appID: AppID
    /// Field 7 of the stored receipt, which picks the data server.
    package let environment: Environment
    /// Whom the key's risk metric speaks of.
    package let subject: Subject
    /// The stored receipt, to be sent as it is.
    package let receipt: ReceiptBytes
    /// SHA-256 of `receipt`.
    package let receiptDigest: SHA256Digest
    /// Field 12 of the stored receipt; an answer must be later.
    package let creationTime: Instant
    /// Field 19 of the stored receipt; an ATTEST receipt has none.
    package let notBefore: Instant?
    /// Field 21 of the stored receipt.
    package let expirationTime: Instant
    /// SHA-256 of the stored receipt's field 3.
    package let attestedCertificateDigest: SHA256Digest
    /// When the key was attested, where the back end said so.
    package let attestedTime: Instant?
    /// When the key was put on record, by the clock of whoever took it in; nil where that was not asked for.
    package let addedTime: Instant?
    /// The row by which it was claimed.
    package let schedule: ScheduleRow

    /// Puts the parts together; nothing is checked.
    package init(
        keyID: KeyIdentifier, appID: AppID, environment: Environment, subject: Subject, receipt: ReceiptBytes,
        receiptDigest: SHA256Digest, creationTime: Instant, notBefore: Instant?, expirationTime: Instant,
        attestedCertificateDigest: SHA256Digest, attestedTime: Instant?, addedTime: Instant? = nil,
        schedule: ScheduleRow
    ) {
        self.keyID = keyID
        self.appID = appID
        self.environment = environment
        self.subject = subject
        self.receipt = receipt
        self.receiptDigest = receiptDigest
        self.creationTime = creationTime
        self.notBefore = notBefore
        self.expirationTime = expirationTime
        self.attestedCertificateDigest = attestedCertificateDigest
        self.attestedTime = attestedTime
        self.addedTime = addedTime
        self.schedule = schedule
    }

    package static func == (left: DueReceipt, right: DueReceipt) -> Bool {
        if left === right { return true }
        return left.keyID == right.keyID && left.appID == right.appID && left.environment == right.environment
            && left.subject == right.subject && left.receipt == right.receipt
            && left.receiptDigest == right.receiptDigest && left.creationTime == right.creationTime
            && left.notBefore == right.notBefore && left.expirationTime == right.expirationTime
            && left.attestedCertificateDigest == right.attestedCertificateDigest
            && left.attestedTime == right.attestedTime && left.addedTime == right.addedTime
            && left.schedule == right.schedule
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(keyID)
        hasher.combine(schedule)
    }
}
