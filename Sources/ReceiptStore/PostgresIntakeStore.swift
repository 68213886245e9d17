import AppAttest
import Postgres
import Refresh

/// Takes in what back ends bring. Doing so twice changes nothing.
package struct PostgresIntakeStore: Sendable {
    private let database: Database
    private let rules: StoreRules

    /// A store on this database, which must be migrated (`Migrator.checkSchema`).
    package init(database: Database, rules: StoreRules) {
        self.database = database
        self.rules = rules
    }

    /// Takes in a batch in one transaction (one more for each repetition of a key). The results are in the order of
    /// `intakes`.
    package func takeIn(_ intakes: [VerifiedIntake], now: Instant) async throws(StoreFailure) -> [IntakeOutcome] {
        var outcomes = [IntakeOutcome?](repeating: nil, count: intakes.count)
        for wave in Batches.waves(of: intakes, by: \.receipt.keyID) {
            let results = try await takeInOnce(wave.map { intakes[$0] }, now: now)
            for (place, result) in zip(wave, results) {
                outcomes[place] = result
            }
        }
        return outcomes.compactMap { $0 }
    }

    private func takeInOnce(_ intakes: [VerifiedIntake], now: Instant) async throws(StoreFailure) -> [IntakeOutcome] {
        let (database, rules) = (database, rules)
        do {
            return try await Batches.store(intakes) { intake, error in
                IntakeOutcome(keyID: intake.receipt.keyID, result: .rejected(IntakeRejection(error)))
            } with: { intakes throws(PostgresError) in
                try await database.transaction { connection throws(PostgresError) in
                    try IntakeBatch(intakes, rules: rules, now: now, on: connection).store(on: connection)
                }
            }
        } catch {
            throw StoreFailure(error)
        }
    }
}

extension IntakeRejection {
    /// The database refused a value of a receipt that stood alone.
    init(_ error: PostgresError) {
        if case .queryFailed(_, let sqlState, let message) = error {
            self = .valueRefused(sqlState: sqlState, message: message)
        } else {
            self = .valueRefused(sqlState: "", message: "")
        }
    }
}
