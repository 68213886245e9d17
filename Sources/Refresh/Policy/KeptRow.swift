import AppAttest

/// Makes the schedule rows of a receipt that stays: one function for each way to wait.
struct KeptRow {
    /// The row as it was claimed.
    let due: DueReceipt
    /// The time of the answer.
    let now: Instant

    /// Put aside without charge for a random one to six hours.
    func held(using random: inout some RandomNumberGenerator) -> ScheduleRow {
        kept(.held, until: now + Spreading.duration(from: .hours(1), to: .hours(6), using: &random))
    }

    /// Not answered as hoped, not charged, and not counted among the failures either.
    func moved(by wait: Duration) -> ScheduleRow {
        kept(.failed, until: now + wait)
    }

    /// Failed without charge; counts for the doubling.
    func failed(until time: Instant) -> ScheduleRow {
        var row = kept(.failed, until: time)
        row.failures += 1
        return row
    }

    /// 304: the receipt and the credential are good, it is only too early. Failures of another kind are forgotten, so
    /// that `failures` counts the 304s in a row.
    func early() -> ScheduleRow {
        let earlier = due.schedule.lastOutcome == .early ? due.schedule.failures : 0
        var row = kept(.early, until: max(due.notBefore ?? now, now) + Backoff.answered.wait(after: earlier))
        row.failures = earlier + 1
        row.attempts = 0
        return row
    }

    /// 404: the normal end of an honest key.
    func quiet(until time: Instant) -> ScheduleRow {
        var row = due.schedule
        row.state = .quiet
        row.rank = row.rank == .background ? .background : .routine
        row.dueTime = time
        row.attempts = 0
        row.failures = 0
        return stamped(row, .quiet)
    }

    /// Charged to the receipt: quarantined on the `limit`th in a row, until then tried again after `wait`.
    func charged(_ reason: QuarantineReason, limit: Int, wait: Duration) -> ScheduleRow {
        var row = kept(.failed, until: now + wait)
        row.attempts += 1
        return row.attempts >= limit ? quarantined(reason) : row
    }

    /// Charged to the receipt: quarantined on the second in a row, if that comes a day or more after the first.
    ///
    /// A row that was put aside in between has waited its day: it was sent when it was due.
    func chargedOncePerDay(_ reason: QuarantineReason) -> ScheduleRow {
        let isEarly =
            due.schedule.attempts > 0 && due.schedule.lastOutcome != .held
            && (due.schedule.lastOutcomeTime.map { now - $0 < .days(1) } ?? false)
        guard isEarly else { return charged(reason, limit: 2, wait: .days(1)) }
        return kept(.failed, until: now + .days(1))
    }

    /// Charged to the receipt and put aside for a person.
    func quarantined(_ reason: QuarantineReason) -> ScheduleRow {
        var row = due.schedule
        row.state = .quarantined
        row.quarantineReason = reason
        row.attempts += 1
        return stamped(row, .quarantined)
    }

    private func kept(_ word: OutcomeWord, until time: Instant) -> ScheduleRow {
        var row = due.schedule
        row.dueTime = time
        if row.state == .active {
            // Apple only says that it might refuse an expired receipt: one try a day until the store gives it up.
            if now >= due.expirationTime { row.dueTime = now + .days(1) }
            if due.expirationTime - row.dueTime <= SchedulePlanner.expiringWithin { row.rank = .expiring }
        }
        return stamped(row, word)
    }

    private func stamped(_ row: ScheduleRow, _ word: OutcomeWord) -> ScheduleRow {
        var row = row
        row.lastOutcome = word
        row.lastOutcomeTime = now
        return row
    }
}
