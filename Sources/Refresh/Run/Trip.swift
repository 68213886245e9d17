import AppAttest
import Risk

/// One receipt's way through a run, complete but for the store's word on it.
struct Trip: Hashable, Sendable {
    /// What the store is told.
    let outcome: Outcome
    /// What went wrong in one stable word.
    let failure: String?
    /// When its answer came, or it was put aside.
    let time: Instant
    /// Where its answer stands in the journal; nil while it stands in none.
    var place: JournalPlace?

    /// The event of this trip.
    func event(stored: StoredOutcome) -> RefreshEvent {
        let answer: VerifiedReceipt? =
            switch outcome.ending {
            case .answered(let receipt): receipt
            case .kept: nil
            }
        return RefreshEvent(
            time: time, keyID: outcome.due.keyID, appID: outcome.due.appID, environment: outcome.due.environment,
            outcome: stored.word, status: outcome.reply?.status, failure: failure(of: stored),
            traceID: outcome.reply?.traceID,
            riskMetric: answer?.payload.riskMetric, creationTime: answer?.payload.creationTime.instant,
            dueTime: stored.dueTime, flagChange: stored.flagChange, isTokenChanged: stored.isTokenChanged)
    }

    /// What the store met with comes before what the data server said.
    private func failure(of stored: StoredOutcome) -> String? {
        if stored.isFenced { return "lease_lost" }
        return stored.refusal.map { "sqlstate_\($0)" } ?? failure
    }

    /// The same, standing in the journal.
    func placed(_ place: JournalPlace) -> Trip {
        var trip = self
        trip.place = place
        return trip
    }
}

extension [Trip] {
    /// How many of them stand in each place of the journal.
    var places: [JournalPlace: Int] {
        var counts: [JournalPlace: Int] = [:]
        for case let place? in map(\.place) { counts[place, default: 0] += 1 }
        return counts
    }
}
