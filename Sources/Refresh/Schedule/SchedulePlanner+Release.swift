import AppAttest

extension SchedulePlanner {
    /// Over how much time receipts that a person has released together are spread.
    package static let releaseSpread: Duration = .hours(1)

    /// Draws when a receipt is due that a person has released: within the hour that begins now or, where that is later,
    /// when it may be sent.
    package func planReleased(
        _ receipt: ReceiptDates, standing: Standing, now: Instant, using random: inout some RandomNumberGenerator
    ) -> Plan {
        let earliest = PlanningSpan(window: receipt.window, now: now).earliest
        let dueTime = Spreading.instant(from: earliest, to: earliest + Self.releaseSpread, using: &random)
        let isExpiring = receipt.window.closes - dueTime <= Self.expiringWithin
        return Plan(
            dueTime: dueTime, rank: isExpiring ? .expiring : rank(of: receipt, standing: standing, now: now))
    }
}
