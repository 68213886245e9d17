import AppAttest

/// A key whose receipt waits for a person, or was given up by one, with what Apple said last.
package struct QuarantinedKey: Hashable, Sendable {
    /// The key.
    package let keyID: KeyIdentifier
    /// Whose app it was attested for.
    package let appID: AppID
    /// Where.
    package let environment: Environment
    /// The back end's name for its device, where it gave one.
    package let deviceRef: String?
    /// Quarantined or dropped.
    package let state: ReceiptState
    /// Why it was put aside.
    package let reason: QuarantineReason
    /// When; nil where that is not known.
    package let since: Instant?
    /// Failures charged to it.
    package let attempts: Int
    /// The HTTP status of the last answer.
    package let lastStatus: Int?
    /// Apple's `x-b3-traceid` of the last answer.
    package let lastTraceID: String?
    /// How the last answer's body began, safe to log.
    package let lastExcerpt: String?
    /// When the stored receipt expires.
    package let expirationTime: Instant
    /// Answers of this key that were not believed and can be judged again.
    package let keptAnswers: Int

    /// Puts the parts together; nothing is checked.
    package init(
        keyID: KeyIdentifier, appID: AppID, environment: Environment, deviceRef: String?, state: ReceiptState,
        reason: QuarantineReason, since: Instant?, attempts: Int, lastStatus: Int?, lastTraceID: String?,
        lastExcerpt: String?, expirationTime: Instant, keptAnswers: Int
    ) {
        self.keyID = keyID
        self.appID = appID
        self.environment = environment
        self.deviceRef = deviceRef
        self.state = state
        self.reason = reason
        self.since = since
        self.attempts = attempts
        self.lastStatus = lastStatus
        self.lastTraceID = lastTraceID
        self.lastExcerpt = lastExcerpt
        self.expirationTime = expirationTime
        self.keptAnswers = keptAnswers
    }
}
