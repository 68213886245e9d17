import AppAttest
import Postgres
import Refresh

/// What waits for a person, and what people decide about it.
package struct PostgresQuarantineStore: Sendable {
    private let database: Database
    private let rules: StoreRules
    private let batchSize: Int

    /// A store on this database, which must be migrated (`Migrator.checkSchema`).
    ///
    /// - Parameter batchSize: keys a transaction; runs wait while one is open.
    package init(database: Database, rules: StoreRules, batchSize: Int = 1_000) {
        self.database = database
        self.rules = rules
        self.batchSize = batchSize
    }

    /// The selected keys in these states, by reason and then by time.
    package func list(
        _ selection: QuarantineSelection, in states: Set<ReceiptState> = [.quarantined]
    ) async throws(StoreFailure) -> [QuarantinedKey] {
        let parameters = selection.parameters(states)
        return try await database.reading { connection throws(PostgresError) in
            try connection.all(.listQuarantined, parameters) { rows throws(PostgresError) in
                try QuarantinedKey(&rows)
            }
        }
    }

    /// How many keys in these states are selected, and how many answers are kept of them.
    package func count(
        _ selection: QuarantineSelection, in states: Set<ReceiptState> = [.quarantined]
    ) async throws(StoreFailure) -> (keys: Int, answers: Int) {
        let parameters = selection.parameters(states)
        return try await database.reading { connection throws(PostgresError) in
            try connection.one(.countQuarantined, parameters) { rows throws(PostgresError) in
                (keys: try rows.read(), answers: try rows.read())
            }
        }
    }

    /// Lets the selected keys in these states be sent again, spread over an hour, with nothing charged to them.
    ///
    /// - Returns: how many there were.
    package func release(
        _ selection: QuarantineSelection, in states: Set<ReceiptState> = [.quarantined], now: Instant
    ) async throws(StoreFailure) -> Int {
        let rules = rules
        return try await inBatches(of: selection, in: states) { keys, connection throws(PostgresError) in
            let standings = try KeyStanding.read(keys, now: now, on: connection)
            let flags = try OpenFlag.lock(Set(standings.values.map(\.subject)), on: connection)
            let plans = keys.compactMap { keyID in
                standings[keyID].map { standing in
                    let flagged = flags[standing.subject] != nil
                    let released = Standing(
                        state: .active, flagged: flagged, newestKey: standing.isReader(flagged: flagged))
                    return (
                        keyID: keyID,
                        plan: rules.planReleased(
                            standing.dates, of: standing.app.appID, standing: released, now: now)
                    )
                }
            }
            let parameters: [Parameter] = [
                .keyIDs(plans.map(\.keyID)), .ints(plans.map(\.plan.rank.rawValue)), .times(plans.map(\.plan.dueTime)),
            ]
            return (try connection.run(.releaseKeys, parameters).affectedCount, 0)
        }.keys
    }

    /// Gives up the selected keys that are quarantined: their receipts stay and are never sent; the answers that were
    /// kept of them go.
    ///
    /// - Returns: how many there were of both.
    package func drop(_ selection: QuarantineSelection) async throws(StoreFailure) -> (keys: Int, answers: Int) {
        try await inBatches(of: selection, in: [.quarantined]) { keys, connection throws(PostgresError) in
            let answers = try connection.run(.removeAnswersOfKeys, [.keyIDs(keys)]).affectedCount
            return (try connection.run(.dropKeys, [.keyIDs(keys)]).affectedCount, answers)
        }
    }

    /// Does something to the selected keys that takes them out of these states, a batch a transaction. Every shard is
    /// locked before a key is looked at, as each writer of schedule rows does it.
    private func inBatches(
        of selection: QuarantineSelection, in states: Set<ReceiptState>,
        _ change: @Sendable ([KeyIdentifier], borrowing Connection) throws(PostgresError) -> (keys: Int, answers: Int)
    ) async throws(StoreFailure) -> (keys: Int, answers: Int) {
        let parameters = selection.parameters(states) + [.int(Int64(batchSize))]
        var total = (keys: 0, answers: 0)
        while true {
            let changed = try await database.storing { connection throws(PostgresError) in
                try connection.lockShards(Array(0..<Subject.shardCount))
                let keys = try connection.all(.someQuarantined, parameters) { rows throws(PostgresError) in
                    try rows.keyID()
                }
                return keys.isEmpty ? (keys: 0, answers: 0) : try change(keys, connection)
            }
            total.keys += changed.keys
            total.answers += changed.answers
            if changed.keys < batchSize { return total }
        }
    }
}

extension PostgresQuarantineStore: KeptAnswerStoring {
    package func keptAnswers(
        _ selection: QuarantineSelection, after cursor: KeyIdentifier?, keyLimit: Int
    ) async throws(StoreFailure) -> [KeptAnswer] {
        let parameters: [Parameter] =
            [.bytes(cursor?.bytes ?? []), .int(Int64(keyLimit))] + selection.narrowing
        return try await database.reading { connection throws(PostgresError) in
            try connection.all(.keptAnswers, parameters) { rows throws(PostgresError) in try KeptAnswer(&rows) }
        }
    }

    package func removeAnswers(_ numbers: [Int64]) async throws(StoreFailure) {
        try await database.storing { connection throws(PostgresError) in
            _ = try connection.run(.removeAnswers, [.ints(numbers)])
        }
    }
}

extension QuarantineSelection {
    /// `$1` to `$6` of a selection among these states.
    fileprivate func parameters(_ states: Set<ReceiptState>) -> [Parameter] {
        [.words(Array(states))] + narrowing
    }

    /// Keys, reason, from when and until when, app.
    fileprivate var narrowing: [Parameter] {
        [
            .keyIDs(Array(keys ?? [])), .text(reason?.rawValue), .time(since), .time(before), .text(app?.text),
        ]
    }
}

extension QuarantinedKey {
    /// From a row of `Query.listQuarantined`.
    fileprivate init(_ rows: inout Rows) throws(PostgresError) {
        self.init(
            keyID: try rows.keyID(), appID: try rows.appID(), environment: try rows.word(),
            deviceRef: try rows.readOptional(), state: try rows.word(), reason: try rows.word(),
            since: try rows.optionalInstant(), attempts: try rows.read(), lastStatus: try rows.readOptional(),
            lastTraceID: try rows.readOptional(), lastExcerpt: try rows.readOptional(),
            expirationTime: try rows.instant(), keptAnswers: try rows.read())
    }
}

extension KeptAnswer {
    /// From a row of `Query.keptAnswers`.
    fileprivate init(_ rows: inout Rows) throws(PostgresError) {
        let number: Int64 = try rows.read()
        let keyID = try rows.keyID()
        let appID = try rows.appID()
        let environment: Environment = try rows.word()
        self.init(
            number: number,
            entry: JournalEntry(
                receivedTime: try rows.instant(), serverDate: try rows.optionalInstant(), environment: environment,
                appID: appID, keyID: keyID, sentDigest: try rows.digest(), sentCreationTime: try rows.instant(),
                answer: ReceiptBytes(try rows.read())))
    }
}
