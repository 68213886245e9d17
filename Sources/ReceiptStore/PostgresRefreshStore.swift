import AppAttest
import Postgres
import Refresh

/// The rows of a refresh run, in PostgreSQL.
package struct PostgresRefreshStore: RefreshStoring {
    private let database: Database
    private let rules: StoreRules
    private let terms: LeaseTerms
    private let dataServers: [Environment: String]

    /// A store on this database, which must be migrated (`Migrator.checkSchema`).
    ///
    /// - Parameters:
    ///   - terms: how long the leases last that it takes and renews.
    ///   - dataServers: the URL of each, under which its workers share a budget.
    package init(
        database: Database, rules: StoreRules, terms: LeaseTerms = .standard,
        dataServers: [Environment: String] = [:]
    ) {
        self.database = database
        self.rules = rules
        self.terms = terms
        self.dataServers = dataServers
    }

    /// How long after its expiration time a receipt from which data is expected is still tried.
    private static let triedAfterExpiry = NextStep.triesAfterExpiry

    package func endExpired(now: Instant, app: AppID?) async throws(StoreFailure) -> EndedCounts {
        try await database.storing { connection throws(PostgresError) in
            try connection.lockShards(Array(0..<Subject.shardCount))
            let parameters: [Parameter] = [.time(now), .time(now - Self.triedAfterExpiry), .text(app?.text)]
            return try connection.one(.endExpired, parameters) { rows throws(PostgresError) in
                EndedCounts(retired: try rows.read(), lost: try rows.read())
            }
        }
    }

    package func countDue(now: Instant, app: AppID?) async throws(StoreFailure) -> Int {
        try await database.reading { connection throws(PostgresError) in
            try connection.one(.countDue, [.time(now), .text(app?.text)]) { rows throws(PostgresError) in
                try rows.read()
            }
        }
    }

    package func holdShards(
        _ worker: WorkerID, givingBack: Set<Int>, now: Instant, app: AppID?
    ) async throws(StoreFailure) -> ShardHoldings {
        let round = LeaseRound(worker: worker, givingBack: givingBack, terms: terms, now: now, app: app)
        return try await database.storing { connection throws(PostgresError) in try round.hold(on: connection) }
    }

    package func releaseShards(_ worker: WorkerID) async throws(StoreFailure) {
        try await database.storing { connection throws(PostgresError) in
            try LeaseRound.release(worker, on: connection)
        }
    }

    package func dueReceipts(
        now: Instant, rank: Rank, after cursor: DueCursor?, limit: Int, app: AppID?, environment: Environment,
        shards: [Int]
    ) async throws(StoreFailure) -> [DueReceipt] {
        let parameters: [Parameter] = [
            .time(now), .int(Int64(rank.rawValue)), .time(cursor?.dueTime), .bytes(cursor?.keyID.bytes),
            .text(app?.text), .int(Int64(limit)), .text(environment.rawValue), .ints(shards),
        ]
        return try await database.storing { connection throws(PostgresError) in
            try connection.planForBatch()
            return try connection.all(.dueReceipts, parameters) { rows throws(PostgresError) in
                try DueReceipt(&rows)
            }
        }
    }

    package func receipts(of keys: [KeyIdentifier]) async throws(StoreFailure) -> [DueReceipt] {
        try await database.storing { connection throws(PostgresError) in
            try connection.planForBatch()
            return try connection.all(.receiptsOfKeys, [.keyIDs(keys)]) { rows throws(PostgresError) in
                try DueReceipt(&rows, isOfKeys: true)
            }
        }
    }

    package func store(_ outcomes: [Outcome], now: Instant) async throws(StoreFailure) -> [StoredOutcome] {
        var stored = [StoredOutcome?](repeating: nil, count: outcomes.count)
        for wave in Batches.waves(of: outcomes, by: \.due.keyID) {
            let results = try await storeOnce(wave.map { outcomes[$0] }, now: now)
            for (place, result) in zip(wave, results) {
                stored[place] = result
            }
        }
        return stored.compactMap { $0 }
    }

    private func storeOnce(_ outcomes: [Outcome], now: Instant) async throws(StoreFailure) -> [StoredOutcome] {
        let (database, rules, terms) = (database, rules, terms)
        let urls = Dictionary(uniqueKeysWithValues: Environment.allCases.map { ($0, url(of: $0)) })
        do {
            let stored = try await Batches.store(outcomes) { outcome, error in
                StoredOutcome(
                    keyID: outcome.due.keyID, word: .failed, flagChange: .unchanged,
                    dueTime: outcome.due.schedule.dueTime, refusal: error.sqlState ?? "unknown")
            } with: { outcomes throws(PostgresError) in
                let batch = OutcomeBatch(
                    outcomes: outcomes, rules: rules, terms: terms, dataServers: urls, now: now)
                return try await database.transaction { connection throws(PostgresError) in
                    try batch.store(on: connection)
                }
            }
            return try await RefusedOutcomes(outcomes, stored).postpone(now: now, in: database)
        } catch {
            throw StoreFailure(error)
        }
    }

    package func takeSlice(
        _ request: SliceRequest, from environment: Environment
    ) async throws(StoreFailure) -> PaceSlice {
        let url = url(of: environment)
        // The times count from the grant: what the commit takes is gone when the answer is there.
        let (slice, granted) = try await database.storing { connection throws(PostgresError) in
            (try StoredBudget.grant(request, url: url, on: connection), ContinuousClock.now)
        }
        return slice.begun(ContinuousClock.now - granted)
    }

    package func answeredEnvironments() async throws(StoreFailure) -> Set<Environment> {
        let urls = Environment.allCases.map(url)
        let answered = try await database.reading { connection throws(PostgresError) in
            try connection.all(.answeredServers, [.texts(urls)]) { rows throws(PostgresError) -> String in
                try rows.read()
            }
        }
        return Set(Environment.allCases.filter { answered.contains(url(of: $0)) })
    }

    private func url(of environment: Environment) -> String { dataServers[environment] ?? environment.rawValue }

    package func beginRun(now: Instant) async throws(StoreFailure) -> Int64 {
        try await database.storing { connection throws(PostgresError) in
            try connection.one(.beginRun, [.time(now)]) { rows throws(PostgresError) in try rows.read() }
        }
    }

    package func finishRun(_ run: Int64, summary: RunSummary, now: Instant) async throws(StoreFailure) {
        let counts = [
            summary.due, summary.sent, summary.replaced, summary.early, summary.quiet, summary.superseded,
            summary.held, summary.quarantined, summary.failed, summary.retired, summary.lost, summary.flagsOpened,
            summary.flagsRaised, summary.flagsLowered, summary.flagsCleared, summary.replayed, summary.takenIn,
            summary.rejected,
        ]
        let parameters = [.int(run), .time(now)] + counts.map { Parameter.int(Int64($0)) }
        try await database.storing { connection throws(PostgresError) in
            _ = try connection.run(.finishRun, parameters)
        }
    }
}

extension Database {
    /// A statement that only reads, with the run's error.
    nonisolated func reading<Value: Sendable>(
        _ body: @Sendable (borrowing Connection) throws(PostgresError) -> Value
    ) async throws(StoreFailure) -> Value {
        do {
            return try await perform(body)
        } catch {
            throw StoreFailure(error)
        }
    }

    /// A transaction, for writing or for what SET LOCAL asks for, with the run's error.
    nonisolated func storing<Value: Sendable>(
        _ body: @Sendable (borrowing Connection) throws(PostgresError) -> Value
    ) async throws(StoreFailure) -> Value {
        do {
            return try await transaction(body)
        } catch {
            throw StoreFailure(error)
        }
    }
}
