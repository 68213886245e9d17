import AppAttest

/// What a run that begins now would do with a key.
package enum NextStep: Hashable, Sendable {
    /// Send its receipt, in the queue of this rank.
    case send(Rank)
    /// Nothing before then.
    case waits(until: Instant)
    /// End it unsent, because its receipt has expired: retired or lost.
    case ends(ReceiptState)
    /// Nothing: this is its state, and a run changes nothing about it.
    case nothing(ReceiptState)
    /// Put it off unsent: its app is not configured.
    case appNotConfigured

    /// For how long after its expiration a receipt whose data is still expected is tried, once a day.
    package static let triesAfterExpiry: Duration = .days(7)

    /// The step for a row whose receipt expires at `expirationTime`.
    ///
    /// - Parameter expiredTryTime: when the data server first answered a try after the expiration; nil while none was.
    package init(
        for row: ScheduleRow, expirationTime: Instant, expiredTryTime: Instant?, isConfigured: Bool, now: Instant
    ) {
        switch row.state {
        case .quarantined, .dropped, .retired, .lost:
            self = .nothing(row.state)
        case .quiet where expirationTime <= now:
            self = .ends(.retired)
        case .active
        where expirationTime <= now - Self.triesAfterExpiry
            && (expiredTryTime.map { $0 <= now - Self.triesAfterExpiry } ?? false):
            self = .ends(.lost)
        case .active, .quiet:
            if row.dueTime > now {
                self = .waits(until: row.dueTime)
            } else {
                self = isConfigured ? .send(row.rank) : .appNotConfigured
            }
        }
    }
}
