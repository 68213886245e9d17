import AppAttest
import Risk

/// A row of the flagged list.
package struct FlaggedDevice: Hashable, Sendable {
    /// The app that the device was seen with.
    package let appID: AppID
    /// Where its keys were attested.
    package let environment: Environment
    /// The back end's name for the device; nil where the subject is a key.
    package let deviceRef: String?
    /// The subject's newest key.
    package let keyID: KeyIdentifier
    /// The back end's name for the user of that key.
    package let userRef: String?
    /// The open flag's level.
    package let level: FlagLevel
    /// When the flag was opened.
    package let openedTime: Instant
    /// When its level changed last.
    package let changedTime: Instant
    /// The largest count that the subject's keys were read with in 30 days, else the newest; nil where only its flag is
    /// left.
    package let riskMetric: Int?
    /// The creation time of the receipt that the reading came with.
    package let metricTime: Instant?
    /// The highest metric ever read for this subject while the flag was open.
    package let peakMetric: Int?
    /// Keys that the back end has brought for this subject.
    package let keyCount: Int
    /// `fresh`, `quiet` or `stale`: how the subject stands.
    package let freshness: Freshness
    /// What a person made of the flag; nil while nobody has looked, and again once its level is raised.
    package let review: FlagReview?

    /// Puts the parts together; nothing is checked.
    package init(
        appID: AppID, environment: Environment, deviceRef: String?, keyID: KeyIdentifier, userRef: String?,
        level: FlagLevel, openedTime: Instant, changedTime: Instant, riskMetric: Int?, metricTime: Instant?,
        peakMetric: Int?, keyCount: Int, freshness: Freshness, review: FlagReview? = nil
    ) {
        self.appID = appID
        self.environment = environment
        self.deviceRef = deviceRef
        self.keyID = keyID
        self.userRef = userRef
        self.level = level
        self.openedTime = openedTime
        self.changedTime = changedTime
        self.riskMetric = riskMetric
        self.metricTime = metricTime
        self.peakMetric = peakMetric
        self.keyCount = keyCount
        self.freshness = freshness
        self.review = review
    }
}

/// What a person made of a flag; it leaves the level as it is.
package struct FlagReview: Hashable, Sendable {
    /// When, by the database's clock.
    package let time: Instant
    /// The login at the database.
    package let reviewer: String
    /// `confirmed`, `explained` or `unclear`.
    package let verdict: String
    /// What they said about it.
    package let note: String?

    /// Puts the parts together; nothing is checked.
    package init(time: Instant, reviewer: String, verdict: String, note: String?) {
        self.time = time
        self.reviewer = reviewer
        self.verdict = verdict
        self.note = note
    }
}
