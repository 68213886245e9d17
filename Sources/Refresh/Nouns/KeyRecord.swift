import AppAttest

/// What is stored of one key, without the receipt itself and without its token.
package struct KeyRecord: Hashable, Sendable {
    /// The key.
    package let keyID: KeyIdentifier
    /// The back end's name for the user of the key.
    package let userRef: String?
    /// When it was attested, where the back end said so or its first receipt did.
    package let attestedTime: Instant?
    /// When it was taken in.
    package let addedTime: Instant
    /// Its current receipt.
    package let receipt: StoredReceipt
    /// When it is due, and how its last try went.
    package let schedule: ScheduleRow
    /// When the data server first answered a try after the receipt's expiration; nil: none yet.
    package let expiredTryTime: Instant?
    /// What came back at the last try.
    package let reply: ReplyRecord
    /// Whether its subject has no key that was attested later.
    package let isNewest: Bool
    /// Whether its subject is read through it: through the newest key, and while it is flagged also through the one
    /// that carries its highest reading.
    package let isReader: Bool
    /// How many answers to it are kept that were not believed.
    package let keptAnswers: Int

    /// Puts the parts together; nothing is checked.
    package init(
        keyID: KeyIdentifier, userRef: String?, attestedTime: Instant?, addedTime: Instant, receipt: StoredReceipt,
        schedule: ScheduleRow, expiredTryTime: Instant? = nil, reply: ReplyRecord, isNewest: Bool, isReader: Bool,
        keptAnswers: Int
    ) {
        self.keyID = keyID
        self.userRef = userRef
        self.attestedTime = attestedTime
        self.addedTime = addedTime
        self.receipt = receipt
        self.schedule = schedule
        self.expiredTryTime = expiredTryTime
        self.reply = reply
        self.isNewest = isNewest
        self.isReader = isReader
        self.keptAnswers = keptAnswers
    }
}

/// The facts of a stored receipt.
package struct StoredReceipt: Hashable, Sendable {
    /// Field 6.
    package let type: ReceiptType
    /// Field 12.
    package let creationTime: Instant
    /// Field 19; an ATTEST receipt has none.
    package let notBefore: Instant?
    /// Field 21.
    package let expirationTime: Instant
    /// When it was stored.
    package let storedTime: Instant
    /// The key's newest reading; nil: none yet.
    package let riskMetric: Int?
    /// The creation time of the receipt that said it, which may be an earlier one.
    package let metricTime: Instant?
    /// The creation time of the receipt that it replaced; nil: none.
    package let replacedCreationTime: Instant?
    /// When a receipt last brought another token than the one before; nil: none has.
    package let tokenChangedTime: Instant?

    /// Puts the parts together; nothing is checked.
    package init(
        type: ReceiptType, creationTime: Instant, notBefore: Instant?, expirationTime: Instant, storedTime: Instant,
        riskMetric: Int?, metricTime: Instant?, replacedCreationTime: Instant?, tokenChangedTime: Instant?
    ) {
        self.type = type
        self.creationTime = creationTime
        self.notBefore = notBefore
        self.expirationTime = expirationTime
        self.storedTime = storedTime
        self.riskMetric = riskMetric
        self.metricTime = metricTime
        self.replacedCreationTime = replacedCreationTime
        self.tokenChangedTime = tokenChangedTime
    }

    /// Where it may be sent.
    package var window: RefreshWindow {
        RefreshWindow(creationTime: creationTime, notBefore: notBefore, expirationTime: expirationTime)
    }
}

/// What is kept of the data server's last reply; all nil where nothing came back.
package struct ReplyRecord: Hashable, Sendable {
    /// The HTTP status.
    package let status: Int?
    /// The reply's `Date`.
    package let date: Instant?
    /// `x-b3-traceid`, for a question to Apple.
    package let traceID: String?
    /// `x-b3-spanid`, likewise.
    package let spanID: String?
    /// The first safe characters of an error's body.
    package let excerpt: String?

    /// Puts the parts together; nothing is checked.
    package init(status: Int?, date: Instant?, traceID: String?, spanID: String?, excerpt: String?) {
        self.status = status
        self.date = date
        self.traceID = traceID
        self.spanID = spanID
        self.excerpt = excerpt
    }
}
