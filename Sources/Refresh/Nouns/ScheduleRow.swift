import AppAttest

/// The `schedule` row of a key: when it is due, in which queue, and how its last tries went.
package struct ScheduleRow: Hashable, Sendable {
    /// From 0 to 63, the same for all keys of a subject: who has claimed the shard has all of them.
    package var shard: Int
    /// In which queue it stands.
    package var rank: Rank
    /// From when it may be claimed.
    package var dueTime: Instant
    /// Where its receipt stands.
    package var state: ReceiptState
    /// Set exactly when `state` is quarantined or dropped.
    package var quarantineReason: QuarantineReason?
    /// Charged attempts in a row: failures shown to be this receipt's own.
    package var attempts: Int
    /// Uncharged failures in a row (304, 5xx, timeouts …): what the doubling of the next wait counts.
    package var failures: Int
    /// The last outcome in one word, nil before the first try.
    package var lastOutcome: OutcomeWord?
    /// When that was.
    package var lastOutcomeTime: Instant?

    /// Puts the parts together; nothing is checked.
    package init(
        shard: Int, rank: Rank, dueTime: Instant, state: ReceiptState = .active,
        quarantineReason: QuarantineReason? = nil, attempts: Int = 0, failures: Int = 0,
        lastOutcome: OutcomeWord? = nil, lastOutcomeTime: Instant? = nil
    ) {
        self.shard = shard
        self.rank = rank
        self.dueTime = dueTime
        self.state = state
        self.quarantineReason = quarantineReason
        self.attempts = attempts
        self.failures = failures
        self.lastOutcome = lastOutcome
        self.lastOutcomeTime = lastOutcomeTime
    }
}
