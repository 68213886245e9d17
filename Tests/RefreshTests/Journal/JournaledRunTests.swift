import AppAttest
import Refresh
import TestSupport
import Testing

@Suite("A run with a journal")
struct JournaledRunTests {
    private let observer = RecordingObserver()

    private func run(
        _ store: any RefreshStoring, _ sender: RuledSender, _ journal: MemoryJournal,
        _ change: (inout RefreshOptions) -> Void = { _ in }
    ) async throws -> RunResult {
        var options = RefreshOptions(teams: [try Samples.app(): try #require(TeamID(Samples.team))])
        options.batchSize = 20
        options.paces = [.production: Pace(requestsPerSecond: 1_000, inFlight: 30)]
        change(&options)
        let timer = SteppingTimer()
        (store as? MemoryStore)?.timer.withLock { $0 = timer }
        return try await RefreshRun(
            options: options, sender: sender, verifier: BelievingVerifier(), store: store, journal: journal,
            clock: StandingClock(time: Samples.noon), timer: timer, observer: observer,
            random: SeededGenerator(seed: 9)
        ).run()
    }

    private func rows(_ numbers: Range<Int>) throws -> [DueReceipt] { try numbers.map { try Samples.due($0) } }

    private static let answering: @Sendable (ReceiptBytes, AppID, Int) -> Reply = { receipt, _, _ in
        .receipt(ReceiptBytes([0xa5] + receipt.bytes))
    }

    private func entry(_ number: Int, answer: [UInt8]? = nil, date: Instant? = Samples.noon) throws -> JournalEntry {
        let due = try Samples.due(number)
        return JournalEntry(
            receivedTime: Samples.noon, serverDate: date, environment: .production, appID: due.appID,
            keyID: due.keyID, sentDigest: due.receiptDigest, sentCreationTime: due.creationTime,
            answer: ReceiptBytes(answer ?? [0xa5] + due.receipt.bytes))
    }

    @Test("every answer is in the journal before it is stored, and settled after; other replies are in none")
    func order() async throws {
        let journal = MemoryJournal()
        let store = MemoryStore(try rows(0..<1_000))
        let sender = RuledSender { receipt, app, times in
            switch Samples.number(receipt.bytes) % 4 {
            case 0, 1: Self.answering(receipt, app, times)
            case 2: .receipt(ReceiptBytes([0]))
            default: .noData
            }
        }
        let result = try await run(JournaledStore(store: store, journal: journal), sender, journal)
        #expect(store.stored.count == 1_000)
        #expect(result.unsaved == 0 && result.journalFailure == nil && result.isComplete)
        #expect(journal.entries.count == 750)
        #expect(Set(journal.entries.map(\.keyID)).count == 750)
        #expect(journal.isAllSettled)
        let row = try Samples.due(4)
        let first = try #require(journal.entries.first { $0.keyID == row.keyID })
        #expect(first == (try entry(4)))
    }

    @Test("when the journal cannot be written, all that was received is stored, and nothing more is sent")
    func full() async throws {
        for failingGroup in [1, 4] {
            let journal = MemoryJournal(failingGroup: failingGroup)
            let store = MemoryStore(try rows(0..<1_000))
            let sender = RuledSender(gate: failingGroup == 1 ? 0 : 10, rule: Self.answering)
            let result = try await run(store, sender, journal)
            #expect(result.journalFailure == MemoryJournal.full)
            #expect(!result.isComplete && result.unsaved == 0)
            #expect(sender.sent.count < 1_000)
            #expect(Set(store.stored.map(\.due.receipt)) == Set(sender.sent))
            #expect(result.summary.replaced == sender.sent.count)
            #expect(journal.isAllSettled)
        }
    }

    @Test("when the store fails, what the journal has is counted, and none of it is settled")
    func storeAway() async throws {
        let journal = MemoryJournal()
        let failure = StoreFailure.statementFailed(query: "q", sqlState: "XX000", message: "m")
        let store = MemoryStore(try rows(0..<300), failingBatches: 3..<1_000, failure: failure)
        let sender = RuledSender(rule: Self.answering)
        let error = try await #require(throws: RunFailure.self) { try await run(store, sender, journal) }
        #expect(error.result.unsaved > 0)
        #expect(error.result.journaled == error.result.unsaved)
        #expect(journal.entries.count == sender.sent.count)
        #expect(journal.settledCount == store.stored.count)
        #expect(journal.entries.count - journal.settledCount == error.result.unsaved)
    }

    @Test("when both fail, the run ends, and says that nothing keeps the answers")
    func bothAway() async throws {
        let failure = StoreFailure.statementFailed(query: "q", sqlState: "XX000", message: "m")
        let store = MemoryStore(try rows(0..<300), failingBatches: 1..<1_000, failure: failure)
        let sender = RuledSender(rule: Self.answering)
        let journal = MemoryJournal(failingGroup: 1)
        let error = try await #require(throws: RunFailure.self) { try await run(store, sender, journal) }
        #expect(error.result.journalFailure == MemoryJournal.full)
        #expect(error.result.unsaved == sender.sent.count && error.result.journaled == 0)
    }

    @Test("what earlier runs left is stored before anything is claimed, also when nothing is due")
    func replay() async throws {
        let store = MemoryStore(
            try (0..<50).map { number in
                try Samples.due(
                    number, schedule: ScheduleRow(shard: 0, rank: .routine, dueTime: Samples.noon + .days(1)))
            })
        let journal = MemoryJournal(left: [try (0..<45).map { try entry($0) }, [], [try entry(48)]])
        let result = try await run(store, RuledSender(rule: Self.answering), journal)
        #expect(result.summary.replayed == 46 && result.summary.sent == 0 && result.summary.replaced == 0)
        #expect(store.stored.map(\.due.keyID).count == 46)
        #expect(store.stored.allSatisfy { $0.reply?.status == 200 && $0.reply?.date == Samples.noon })
        #expect(journal.finished == [nil, nil, nil])
        #expect(observer.events.map(\.outcome) == [OutcomeWord](repeating: .replaced, count: 46))
        #expect(result.replay == ReplayCounts())
        #expect(store.claims > 0)
    }

    @Test("a row that a replay has stored is not sent in the same run")
    func replayedIsNotDue() async throws {
        let journal = MemoryJournal(left: [try (0..<10).map { try entry($0) }])
        let store = MemoryStore(try rows(0..<15))
        let sender = RuledSender(rule: Self.answering)
        let result = try await run(store, sender, journal)
        #expect(result.summary.due == 5 && result.summary.sent == 5 && result.summary.replayed == 10)
        #expect(sender.sent.count == 5)
    }

    @Test("an erased key stays erased; an answer that does not verify is counted, charged to nobody, and kept")
    func notStored() async throws {
        let late = Samples.noon + .days(2)
        let journal = MemoryJournal(left: [
            [try entry(1), try entry(700), try entry(2, answer: [0])], [try entry(3, date: late)],
        ])
        let store = MemoryStore(
            try (1..<4).map { try Samples.due($0, schedule: ScheduleRow(shard: 0, rank: .routine, dueTime: late)) })
        let result = try await run(store, RuledSender(rule: Self.answering), journal)
        #expect(result.summary.replayed == 1)
        #expect(result.replay.erased == 1)
        #expect(result.replay.unverified == ["signature_invalid": 1, "clocks_apart": 1])
        #expect(journal.finished == [.unverified, .unverified])
        #expect(result.replay.keptPaths.count == 2)
        #expect(store.stored.map(\.due.keyID) == [try Samples.due(1).keyID])
        #expect(try store.row(2).schedule.attempts == 0)
    }

    @Test("while the store is away the journals stay as they are")
    func replayWithoutStore() async throws {
        let journal = MemoryJournal(left: [try (0..<10).map { try entry($0) }])
        let failure = StoreFailure.statementFailed(query: "q", sqlState: "XX000", message: "m")
        let store = MemoryStore(try rows(0..<15), failingBatches: 1..<100, failure: failure)
        let sender = RuledSender(rule: Self.answering)
        let error = try await #require(throws: RunFailure.self) { try await run(store, sender, journal) }
        #expect(error.cause == failure)
        #expect(journal.left == 1 && journal.finished.isEmpty && sender.sent.isEmpty)
    }

    @Test("a dry run leaves the journals of others alone")
    func dryRun() async throws {
        let journal = MemoryJournal(left: [[try entry(1)]])
        let result = try await run(MemoryStore(try rows(1..<2)), RuledSender(rule: Self.answering), journal) {
            $0.dryRun = true
        }
        #expect(result.summary.due == 1 && result.summary.replayed == 0)
        #expect(journal.left == 1)
    }
}

/// A store that wants every receipt in the journal first.
private struct JournaledStore: RefreshStoring {
    let store: MemoryStore
    let journal: MemoryJournal

    func store(_ outcomes: [Outcome], now: Instant) async throws(StoreFailure) -> [StoredOutcome] {
        let journaled = Set(journal.entries.map(\.keyID))
        for outcome in outcomes {
            guard case .receipt = outcome.reply?.reply else { continue }
            #expect(journaled.contains(outcome.due.keyID))
        }
        return try await store.store(outcomes, now: now)
    }

    func endExpired(now: Instant, app: AppID?) async throws(StoreFailure) -> EndedCounts {
        try await store.endExpired(now: now, app: app)
    }

    func countDue(now: Instant, app: AppID?) async throws(StoreFailure) -> Int {
        try await store.countDue(now: now, app: app)
    }

    func holdShards(
        _ worker: WorkerID, givingBack: Set<Int>, now: Instant, app: AppID?
    ) async throws(StoreFailure) -> ShardHoldings {
        try await store.holdShards(worker, givingBack: givingBack, now: now, app: app)
    }

    func releaseShards(_ worker: WorkerID) async throws(StoreFailure) { try await store.releaseShards(worker) }

    func dueReceipts(
        now: Instant, rank: Rank, after cursor: DueCursor?, limit: Int, app: AppID?, environment: Environment,
        shards: [Int]
    ) async throws(StoreFailure) -> [DueReceipt] {
        try await store.dueReceipts(
            now: now, rank: rank, after: cursor, limit: limit, app: app, environment: environment, shards: shards)
    }

    func takeSlice(_ request: SliceRequest, from environment: Environment) async throws(StoreFailure) -> PaceSlice {
        try await store.takeSlice(request, from: environment)
    }

    func answeredEnvironments() async throws(StoreFailure) -> Set<Environment> {
        try await store.answeredEnvironments()
    }

    func receipts(of keys: [KeyIdentifier]) async throws(StoreFailure) -> [DueReceipt] {
        try await store.receipts(of: keys)
    }

    func beginRun(now: Instant) async throws(StoreFailure) -> Int64 { try await store.beginRun(now: now) }

    func finishRun(_ run: Int64, summary: RunSummary, now: Instant) async throws(StoreFailure) {
        try await store.finishRun(run, summary: summary, now: now)
    }
}
