import AppAttest
import Postgres
import Refresh

/// What back ends have handed over in SQL, on its way in.
package struct PostgresSubmissionStore: Sendable {
    private let database: Database
    private let rules: StoreRules
    private let words: @Sendable (IntakeRejection) -> SubmissionRejection

    /// A store on this database, which must be migrated (`Migrator.checkSchema`).
    ///
    /// - Parameter words: how a back end is told what the store has against a receipt.
    package init(
        database: Database, rules: StoreRules, words: @escaping @Sendable (IntakeRejection) -> SubmissionRejection
    ) {
        self.database = database
        self.rules = rules
        self.words = words
    }

    /// The number of the newest submission; 0 where none waits.
    package func newest() async throws(StoreFailure) -> Int64 {
        try await database.reading { connection throws(PostgresError) in
            try connection.one(.newestPending) { rows throws(PostgresError) in try rows.read() }
        }
    }

    /// The next submissions of a queue with numbers in `range`, in their order; no row is locked.
    ///
    /// - Parameter environments: of these, and those that leave it to the receipt.
    package func pending(
        _ queue: IntakeQueue, in environments: Set<Environment>, after: Int64, through: Int64, limit: Int
    ) async throws(StoreFailure) -> [SubmittedReceipt] {
        let parameters: [Parameter] = [
            .text(queue.app.text), .bool(queue.isBackFill), .int(after), .int(through),
            .words(Array(environments)), .int(Int64(limit)),
        ]
        return try await database.storing { connection throws(PostgresError) in
            try connection.planForBatch()
            return try connection.all(.pendingReceipts, parameters) { rows throws(PostgresError) in
                try SubmittedReceipt(&rows)
            }
        }
    }

    /// Takes in a batch, or rejects what is not good, in one transaction (one more for each repetition of a key); each
    /// submission leaves the intake in the transaction that stores it. The outcomes are in the order of `judged`.
    package func settle(
        _ judged: [JudgedSubmission], now: Instant
    ) async throws(StoreFailure) -> [SubmissionOutcome] {
        var outcomes = [SubmissionOutcome?](repeating: nil, count: judged.count)
        for wave in Batches.waves(of: judged, by: \.submitted.keyID) {
            let settled = try await settleOnce(wave.map { judged[$0] }, now: now)
            for (place, outcome) in zip(wave, settled) { outcomes[place] = outcome }
        }
        return outcomes.compactMap { $0 }
    }

    /// What waits by app and environment: how many, how many of them since before `lateBefore`, and since when.
    package func waiting(
        lateBefore: Instant, isConfigured: @Sendable (AppID, Environment?) -> Bool
    ) async throws(StoreFailure) -> [WaitingIntake] {
        try await database.reading { connection throws(PostgresError) in
            try connection.all(.waitingIntake, [.time(lateBefore)]) { rows throws(PostgresError) in
                let app = try rows.appID()
                let environment: Environment? = try rows.optionalWord()
                return WaitingIntake(
                    app: app, environment: environment, isConfigured: isConfigured(app, environment),
                    count: try rows.read(), late: try rows.read(), oldest: try rows.instant())
            }
        }
    }

    private func settleOnce(
        _ judged: [JudgedSubmission], now: Instant
    ) async throws(StoreFailure) -> [SubmissionOutcome] {
        let (database, rules, words) = (database, rules, words)
        do {
            let stored = try await Batches.store(judged) { submission, error in
                // Alone, a value of it is refused: it is rejected in a transaction of its own.
                SubmissionBatch.Settled(submission, .rejected(words(IntakeRejection(error))), isStored: false)
            } with: { judged throws(PostgresError) in
                let batch = SubmissionBatch(judged: judged, rules: rules, words: words, now: now)
                return try await database.transaction { connection throws(PostgresError) in
                    try batch.settle(on: connection)
                }
            }
            let broken = stored.filter { !$0.isStored }
            if !broken.isEmpty {
                try await database.transaction { connection throws(PostgresError) in
                    try SubmissionBatch.reject(broken, now: now, on: connection)
                }
            }
            return stored.map(\.outcome)
        } catch {
            throw StoreFailure(error)
        }
    }
}
