import AppAttest

/// Decides when a stored receipt is due and in which queue. Pure; run whenever a receipt is stored, and its draw is
/// kept.
///
/// Whatever the cadence says, a receipt is never due before its not-before plus a margin, and never planned into the
/// last tenth of its window; one that is there already is due at once.
package struct SchedulePlanner: Hashable, Sendable {
    /// Added to not-before, so that a clock a little ahead of Apple's does not earn a 304. A tenth of the window where
    /// that is shorter.
    package static let margin: Duration = .minutes(2)
    /// A receipt due this shortly before its expiration time goes first.
    package static let expiringWithin: Duration = .days(3)
    /// For how long Apple keeps what a first reading asks for; later it is back-fill, and most answers are 404.
    package static let freshAttestation: Duration = .days(30)
    /// Over how much time the due times of flagged subjects, and of those without a metric, are spread after their
    /// window opens.
    package static let openingSpread: Duration = .hours(1)

    /// The cadence of the receipt's app.
    package let cadence: Cadence

    /// A planner for the apps with this cadence.
    package init(cadence: Cadence) {
        self.cadence = cadence
    }

    /// Draws the due time of a receipt just stored, or just answered with 404 (`standing.state` quiet).
    ///
    /// A state that has ended counts as active: a newer receipt has brought the key back.
    package func plan(
        _ receipt: ReceiptDates, standing: Standing, now: Instant, using random: inout some RandomNumberGenerator
    ) -> Plan {
        let span = PlanningSpan(window: receipt.window, now: now)
        switch standing.state {
        case .quiet:
            return Plan(
                dueTime: quietDueTime(window: receipt.window, now: now, using: &random),
                rank: standing.newestKey ? .routine : .background)
        case .active, .quarantined, .dropped, .retired, .lost:
            guard span.isOpen else { return Plan(dueTime: span.earliest, rank: .expiring) }
            let wish = wish(for: receipt, standing: standing, earliest: span.earliest)
            let due = span.draw(wish, atLeast: cadence.firstReading, using: &random)
            let expiring = receipt.window.closes - due <= Self.expiringWithin
            return Plan(dueTime: due, rank: expiring ? .expiring : rank(of: receipt, standing: standing, now: now))
        }
    }

    /// When a receipt that was answered with 404 is tried again: after the quiet cadence, where that still falls before
    /// the last tenth of its window; else once more just before that; else never, that is when it expires.
    package func quietDueTime(
        window: RefreshWindow, now: Instant, using random: inout some RandomNumberGenerator
    ) -> Instant {
        let span = PlanningSpan(window: window, now: now)
        let next = now + cadence.quiet
        if next <= span.latest { return max(next, span.earliest) }
        guard span.latest - now >= cadence.quiet / 2 else { return max(window.closes, now) }
        return span.draw(next...next, atLeast: cadence.firstReading, using: &random)
    }

    /// The time over which the due time is drawn, if the window allows.
    func wish(for receipt: ReceiptDates, standing: Standing, earliest: Instant) -> ClosedRange<Instant> {
        guard standing.newestKey else {
            return switch receipt.type {
            case .attest: lastFifth(of: cadence.background, from: earliest)
            case .receipt: lastFifth(of: cadence.background, from: receipt.creationTime)
            }
        }
        switch receipt.type {
        case .attest:
            return earliest...(earliest + cadence.firstReading)
        case .receipt where !receipt.hasMetric:
            return earliest...(earliest + Self.openingSpread)
        case .receipt where standing.flagged:
            let start = max(earliest, receipt.creationTime + cadence.flagged)
            return start...(start + Self.openingSpread)
        case .receipt:
            return lastFifth(of: cadence.clear, from: receipt.creationTime)
        }
    }

    private func lastFifth(of cadence: Duration, from start: Instant) -> ClosedRange<Instant> {
        (start + cadence * 4 / 5)...(start + cadence)
    }

    /// The queue of a receipt that is not about to expire.
    func rank(of receipt: ReceiptDates, standing: Standing, now: Instant) -> Rank {
        guard standing.newestKey else { return .background }
        switch receipt.type {
        case .attest:
            let attested = receipt.attestedTime ?? receipt.creationTime
            return now - attested <= Self.freshAttestation ? .firstReading : .background
        case .receipt where standing.flagged:
            return .flagged
        case .receipt:
            let isFresh = receipt.attestedTime.map { now - $0 <= Self.freshAttestation } ?? false
            return isFresh && !receipt.hasMetric ? .firstReading : .routine
        }
    }
}
