import AppAttest

/// Why a receipt is due when it is.
package enum DueReason: Hashable, Sendable {
    /// It is not: its state has ended, or it waits for a person.
    case notDue
    /// Never sent: somewhere in the first-reading time.
    case firstReading
    /// Taken in with many others, and not sent since: somewhere in the time over which those are spread.
    case backFill
    /// Its receipt came without a metric: as soon as the window opens.
    case metricMissing
    /// The cadence of a subject without a flag.
    case clear
    /// The cadence of a flagged subject.
    case flagged
    /// The cadence of a device's older keys.
    case background
    /// Its cadence would have it earlier, and its window opens only then.
    case windowOpens
    /// Its time had passed when it was stored: spread from then on.
    case late
    /// Its cadence would have it in the last tenth of its window: pulled before that.
    case beforeLastTenth
    /// It was stored in the last tenth of its window, or expired: at once.
    case lastTenth
    /// Answered with 404: the quiet cadence.
    case quiet
    /// Likewise, and no other try has room before the last tenth of its window.
    case quietLastTry
    /// Likewise, and no try has room any more: it retires when it expires.
    case quietUntilExpiry
    /// 304, so many times in a row: twice as long after each.
    case early(inRow: Int)
    /// Put aside without charge, for one to six hours.
    case held
    /// Failed for something that was shown to be its own, so many times in a row.
    case charged(inRow: Int)
    /// Not answered as hoped, so many times in a row: longer after each.
    case failed(inRow: Int)
    /// 429: ten minutes to an hour.
    case tooManyRequests
    /// A person has released it from quarantine: spread over the next hour.
    case released
    /// Expired with data expected: one try a day.
    case expired
    /// Drawn when its subject stood otherwise, or under other settings, and kept.
    case drawnBefore
}

extension SchedulePlanner {
    /// Why a stored row is due when it is.
    ///
    /// - Parameters:
    ///   - receipt: the stored receipt.
    ///   - standing: where key and subject stand at present.
    ///   - storedTime: when the receipt was stored.
    ///   - status: that of the last reply.
    package func reason(
        for row: ScheduleRow, receipt: ReceiptDates, standing: Standing, storedTime: Instant, status: Int?
    ) -> DueReason {
        switch row.state {
        case .quarantined, .dropped, .retired, .lost: return .notDue
        case .quiet: return quietReason(row, window: receipt.window)
        case .active: break
        }
        let isExpired = row.lastOutcomeTime.map { $0 >= receipt.window.closes } ?? false
        switch row.lastOutcome {
        case .quarantined: return .released
        case .early, .held, .failed:
            if isExpired { return .expired }
            return keptReason(row, status: status)
        case nil, .replaced, .superseded, .quiet:
            let planned = max(storedTime, row.lastOutcomeTime ?? storedTime)
            return plannedReason(row, receipt: receipt, standing: standing, planned: planned)
        }
    }

    private func quietReason(_ row: ScheduleRow, window: RefreshWindow) -> DueReason {
        if row.dueTime >= window.closes { return .quietUntilExpiry }
        guard let asked = row.lastOutcomeTime else { return .drawnBefore }
        if row.dueTime >= asked + cadence.quiet { return .quiet }
        return window.lastTenth < asked + cadence.quiet ? .quietLastTry : .drawnBefore
    }

    private func keptReason(_ row: ScheduleRow, status: Int?) -> DueReason {
        if row.lastOutcome == .held { return .held }
        if row.lastOutcome == .early { return .early(inRow: row.failures) }
        if status == 429 { return .tooManyRequests }
        return row.attempts > 0 ? .charged(inRow: row.attempts) : .failed(inRow: max(1, row.failures))
    }

    /// The planner's own draw, known by where it fell.
    private func plannedReason(
        _ row: ScheduleRow, receipt: ReceiptDates, standing: Standing, planned: Instant
    ) -> DueReason {
        let span = PlanningSpan(window: receipt.window, now: planned)
        guard span.isOpen else { return row.dueTime == span.earliest ? .lastTenth : .drawnBefore }
        if isSpread(row, receipt: receipt, standing: standing, planned: planned) { return .backFill }
        let wish = wish(for: receipt, standing: standing, earliest: span.earliest)
        let range = span.range(for: wish, atLeast: cadence.firstReading)
        // A key is sent to the background whenever a newer one comes, which may be long after it was stored.
        let isDemoted = !standing.newestKey && row.dueTime > range.upperBound
        guard range.contains(row.dueTime) || isDemoted else { return .drawnBefore }
        if wish.lowerBound >= span.latest { return .beforeLastTenth }
        if wish.upperBound <= span.earliest { return span.earliest == planned ? .late : .windowOpens }
        return wishReason(receipt, standing)
    }

    private func wishReason(_ receipt: ReceiptDates, _ standing: Standing) -> DueReason {
        guard standing.newestKey else { return .background }
        return switch receipt.type {
        case .attest: .firstReading
        case .receipt where !receipt.hasMetric: .metricMissing
        case .receipt where standing.flagged: .flagged
        case .receipt: .clear
        }
    }
}
