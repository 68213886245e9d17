import AppAttest
import Risk

/// The state of the whole fleet at one time, as `status` prints it.
package struct FleetStatus: Hashable, Sendable {
    /// Keys without any reading.
    package var unknown = 0
    /// Keys whose newest reading is under 30 days old.
    package var fresh = 0
    package var quiet = 0
    /// Not quiet, and the newest reading is 30 days old or more.
    package var stale = 0
    package var due = 0
    /// Due for over 24 hours.
    package var overdue = 0
    package var quarantined = 0
    package var retired = 0
    package var lost = 0
    package var oldestDue: Instant?
    /// The soonest expiration time still ahead, among keys that are neither retired, lost nor quarantined.
    package var soonestExpiry: Instant?
    package var lastRunStart: Instant?
    package var lastRunEnd: Instant?

    package init() {}
}

/// A row of the flagged list.
package struct FlaggedDevice: Hashable, Sendable {
    package let appID: AppID
    package let environment: Environment
    package let deviceRef: String?
    /// The subject's newest key.
    package let keyID: KeyIdentifier
    package let userRef: String?
    package let level: FlagLevel
    package let openedTime: Instant
    package let changedTime: Instant
    /// The newest reading and its own date; nil where only its flag is left.
    package let riskMetric: Int?
    package let metricTime: Instant?
    /// The highest metric ever read for this subject while the flag was open.
    package let peakMetric: Int?
    /// Keys that the back end has brought for this subject.
    package let keyCount: Int
    /// `fresh`, `quiet` or `stale`: how the newest reading stands.
    package let freshness: Freshness

    package init(
        appID: AppID, environment: Environment, deviceRef: String?, keyID: KeyIdentifier, userRef: String?,
        level: FlagLevel, openedTime: Instant, changedTime: Instant, riskMetric: Int?, metricTime: Instant?,
        peakMetric: Int?, keyCount: Int, freshness: Freshness
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
    }
}

/// How the newest reading of a subject stands.
package enum Freshness: String, Hashable, Sendable, CaseIterable {
    case fresh
    case quiet
    case stale
}
