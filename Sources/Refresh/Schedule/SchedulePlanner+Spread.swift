import AppAttest

extension SchedulePlanner {
    /// Over how much time the first readings of a back-fill may be spread.
    package static let spreadBounds: ClosedRange<Duration> = .hours(1) ... .days(60)

    /// Draws when the receipt of a key is due that was taken in with many others: evenly over the time that begins now,
    /// in the lowest rank.
    ///
    /// Whatever would by itself be due later than that keeps its own plan, and so does what cannot wait: a receipt in
    /// the last tenth of its window, and a flagged subject. No draw is in the last tenth of a window.
    package func planSpread(
        _ receipt: ReceiptDates, standing: Standing, over spread: Duration, now: Instant,
        using random: inout some RandomNumberGenerator
    ) -> Plan {
        let span = PlanningSpan(window: receipt.window, now: now)
        let own = span.range(
            for: wish(for: receipt, standing: standing, earliest: span.earliest), atLeast: cadence.firstReading)
        let end = min(span.earliest + spread, span.latest)
        guard span.isOpen, !standing.flagged, own.upperBound < end else {
            return plan(receipt, standing: standing, now: now, using: &random)
        }
        let due = Spreading.instant(from: own.lowerBound, to: end, using: &random)
        return Plan(
            dueTime: due, rank: receipt.window.closes - due <= Self.expiringWithin ? .expiring : .background)
    }

    /// Whether a row that was never tried stands where only a back-fill's spread puts one: in the lowest rank although
    /// its subject is read through it, or later than its own range.
    func isSpread(
        _ row: ScheduleRow, receipt: ReceiptDates, standing: Standing, planned: Instant
    ) -> Bool {
        guard row.lastOutcome == nil, standing.newestKey, !standing.flagged else { return false }
        let span = PlanningSpan(window: receipt.window, now: planned)
        let own = span.range(
            for: wish(for: receipt, standing: standing, earliest: span.earliest), atLeast: cadence.firstReading)
        guard span.isOpen, (own.lowerBound...span.latest).contains(row.dueTime) else { return false }
        let isLate = row.dueTime > own.upperBound
        return switch row.rank {
        case .background: isLate || rank(of: receipt, standing: standing, now: planned) != .background
        case .expiring: isLate
        case .firstReading, .flagged, .routine: false
        }
    }
}
