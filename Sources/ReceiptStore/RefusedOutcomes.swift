import AppAttest
import Postgres
import Refresh

/// Outcomes that the database refused for a value in them. Their keys wait longer from try to try, or every run would
/// ask Apple for the same answer again.
struct RefusedOutcomes: Sendable {
    private let stored: [StoredOutcome]
    private let refused: [Outcome]

    /// Picks the refused ones; `stored` is in the order of `outcomes`.
    init(_ outcomes: [Outcome], _ stored: [StoredOutcome]) {
        self.stored = stored
        refused = zip(outcomes, stored).filter { $1.refusal != nil }.map(\.0)
    }

    /// Puts the keys off in a transaction of its own, and gives all results with the due times that they then have.
    func postpone(now: Instant, in database: Database) async throws(PostgresError) -> [StoredOutcome] {
        guard !refused.isEmpty else { return stored }
        let refused = refused
        let times = refused.map { now + Backoff.answered.wait(after: $0.due.schedule.failures) }
        let postponed = try await database.transaction { connection throws(PostgresError) in
            let locked = try connection.lockShards(refused.map(\.due.schedule.shard))
            let held = zip(refused, times).filter { locked.isHeld($0.0.due.schedule.shard, by: $0.0.token) }
            let parameters: [Parameter] = [
                .keyIDs(held.map(\.0.due.keyID)), .times(held.map(\.0.due.schedule.dueTime)),
                .words(held.map(\.0.due.schedule.state)), .times(held.map(\.1)), .time(now),
            ]
            return Set(
                try connection.all(.postponeRefused, parameters) { rows throws(PostgresError) in try rows.keyID() })
        }
        var dueTimes: [KeyIdentifier: Instant] = [:]
        for (outcome, time) in zip(refused, times) where postponed.contains(outcome.due.keyID) {
            dueTimes[outcome.due.keyID] = time
        }
        return stored.map { result in
            guard result.refusal != nil else { return result }
            return StoredOutcome(
                keyID: result.keyID, word: result.word, flagChange: result.flagChange,
                dueTime: dueTimes[result.keyID] ?? result.dueTime, refusal: result.refusal)
        }
    }
}
