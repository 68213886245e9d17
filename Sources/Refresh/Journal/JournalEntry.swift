import AppAttest

/// An answer as it was received, with what is needed to judge it once more: what stands in a journal until the store
/// has it.
package struct JournalEntry: Hashable, Sendable {
    /// When it came, by our clock.
    package let receivedTime: Instant
    /// The reply's `Date`.
    package let serverDate: Instant?
    /// Which data server gave it.
    package let environment: Environment
    /// The app of the receipt that was sent.
    package let appID: AppID
    /// The key of the receipt that was sent.
    package let keyID: KeyIdentifier
    /// SHA-256 of the receipt that was sent.
    package let sentDigest: SHA256Digest
    /// Field 12 of the receipt that was sent; the answer's must be later.
    package let sentCreationTime: Instant
    /// The answer, not yet believed.
    package let answer: ReceiptBytes

    /// Puts the parts together; nothing is checked.
    package init(
        receivedTime: Instant, serverDate: Instant?, environment: Environment, appID: AppID, keyID: KeyIdentifier,
        sentDigest: SHA256Digest, sentCreationTime: Instant, answer: ReceiptBytes
    ) {
        self.receivedTime = receivedTime
        self.serverDate = serverDate
        self.environment = environment
        self.appID = appID
        self.keyID = keyID
        self.sentDigest = sentDigest
        self.sentCreationTime = sentCreationTime
        self.answer = answer
    }

    /// The entry of a trip whose reply holds a receipt; nil for all others.
    init?(_ trip: Trip) {
        guard let reply = trip.outcome.reply, case .receipt(let answer) = reply.reply else { return nil }
        let due = trip.outcome.due
        self.init(
            receivedTime: trip.time, serverDate: reply.date, environment: due.environment, appID: due.appID,
            keyID: due.keyID, sentDigest: due.receiptDigest, sentCreationTime: due.creationTime, answer: answer)
    }
}
