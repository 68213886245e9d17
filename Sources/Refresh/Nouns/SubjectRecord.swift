import AppAttest
import Risk

/// What is stored of a subject: the one key that was asked for or its newest, some of the others, and its flag.
package struct SubjectRecord: Hashable, Sendable {
    /// The app that it was seen with.
    package let appID: AppID
    /// Where its keys were attested.
    package let environment: Environment
    /// The back end's name for the device; nil where the subject is a key.
    package let deviceRef: String?
    /// How many keys are on record for it.
    package let keyCount: Int
    /// The key that is shown in full.
    package let key: KeyRecord
    /// Others, the newest first; not all of them where there are many.
    package let otherKeys: [KeyRecord]
    /// What a back end is told of `key`.
    package let level: KeyLevel
    /// The open flag.
    package let flag: FlagRecord?
    /// What happened last to this flag and earlier ones, the latest first.
    package let flagEvents: [FlagEvent]
    /// The last readings of `key`, the latest first.
    package let readings: [MetricReading]

    /// Puts the parts together; nothing is checked.
    package init(
        appID: AppID, environment: Environment, deviceRef: String?, keyCount: Int, key: KeyRecord,
        otherKeys: [KeyRecord], level: KeyLevel, flag: FlagRecord?, flagEvents: [FlagEvent], readings: [MetricReading]
    ) {
        self.appID = appID
        self.environment = environment
        self.deviceRef = deviceRef
        self.keyCount = keyCount
        self.key = key
        self.otherKeys = otherKeys
        self.level = level
        self.flag = flag
        self.flagEvents = flagEvents
        self.readings = readings
    }
}

/// An open flag.
package struct FlagRecord: Hashable, Sendable {
    /// Its level.
    package let level: FlagLevel
    /// The highest metric read while it was open.
    package let peakMetric: Int
    /// When it was opened.
    package let openedTime: Instant
    /// When its level changed last.
    package let changedTime: Instant

    /// Puts the parts together; nothing is checked.
    package init(level: FlagLevel, peakMetric: Int, openedTime: Instant, changedTime: Instant) {
        self.level = level
        self.peakMetric = peakMetric
        self.openedTime = openedTime
        self.changedTime = changedTime
    }
}

/// Something that was done to a flag.
package struct FlagEvent: Hashable, Sendable {
    /// When.
    package let time: Instant
    /// What: `opened`, `raised`, `lowered`, `cleared`, `reviewed`.
    package let kind: String
    /// The level before; nil: there was no flag.
    package let fromLevel: FlagLevel?
    /// The level after; nil: the flag was closed.
    package let toLevel: FlagLevel?
    /// The reading that did it.
    package let riskMetric: Int?
    /// The key that was read.
    package let keyID: KeyIdentifier?
    /// Who did it.
    package let actor: String
    /// What a review came to: `confirmed`, `explained` or `unclear`; nil for anything else.
    package let verdict: String?
    /// What they said about it.
    package let note: String?

    /// Puts the parts together; nothing is checked.
    package init(
        time: Instant, kind: String, fromLevel: FlagLevel?, toLevel: FlagLevel?, riskMetric: Int?,
        keyID: KeyIdentifier?, actor: String, verdict: String? = nil, note: String?
    ) {
        self.time = time
        self.kind = kind
        self.fromLevel = fromLevel
        self.toLevel = toLevel
        self.riskMetric = riskMetric
        self.keyID = keyID
        self.actor = actor
        self.verdict = verdict
        self.note = note
    }
}

/// A risk metric as a receipt said it.
package struct MetricReading: Hashable, Sendable {
    /// The creation time of the receipt.
    package let time: Instant
    /// The metric.
    package let riskMetric: Int

    /// Puts the parts together; nothing is checked.
    package init(time: Instant, riskMetric: Int) {
        self.time = time
        self.riskMetric = riskMetric
    }
}
