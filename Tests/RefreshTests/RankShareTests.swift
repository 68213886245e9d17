import AppAttest
import Refresh
import Synchronization
import TestSupport
import Testing

@Suite("Ranks and their shares")
struct RankShareTests {
    private let timer = SteppingTimer()

    private func row(_ number: Int, _ rank: Rank) throws -> DueReceipt {
        try Samples.due(number, schedule: ScheduleRow(shard: 0, rank: rank, dueTime: Samples.noon))
    }

    /// Sends until so many have been sent, and gives how many of each rank there were.
    private func sent(_ count: Int, of rows: [(Rank, Range<Int>)]) async throws -> [Rank: Int] {
        var ranks: [Int: Rank] = [:]
        for (rank, numbers) in rows { for number in numbers { ranks[number] = rank } }
        let store = MemoryStore(try ranks.map { try row($0.key, $0.value) })
        store.timer.withLock { [timer] in $0 = timer }
        let sender = RuledSender { receipt, _, _ in .receipt(ReceiptBytes([0xa5] + receipt.bytes)) }
        var options = RefreshOptions(teams: [try Samples.app(): try #require(TeamID(Samples.team))])
        options.paces = [.production: Pace(requestsPerSecond: 1_000, inFlight: 10)]
        _ = try await RefreshRun(
            options: options, sender: sender, verifier: BelievingVerifier(), store: store,
            clock: StandingClock(time: Samples.noon), timer: timer, observer: RecordingObserver(),
            random: SeededGenerator(seed: 8), stopRequested: { sender.sent.count >= count }
        ).run()
        let first = sender.sent.prefix(count)
        return Dictionary(first.map { (ranks[Samples.number($0.bytes)] ?? .background, 1) }, uniquingKeysWith: +)
    }

    @Test("while rows wait in all ranks, each has its share")
    func contended() async throws {
        let counts = try await sent(
            1_000, of: Rank.allCases.enumerated().map { ($0.element, $0.offset * 600..<$0.offset * 600 + 600) })
        for rank in Rank.allCases {
            #expect(abs((counts[rank] ?? 0) - rank.share * 10) <= 60, "\(rank): \(counts[rank] ?? 0)")
        }
    }

    @Test("a share that nobody uses passes on")
    func passesOn() async throws {
        let counts = try await sent(500, of: [(.background, 0..<1_000), (.flagged, 1_000..<1_100)])
        #expect(counts == [.flagged: 100, .background: 400])
    }

    /// A run over more rows than memory holds, of two ranks, until so many have been sent; gives how many of each.
    private func sent(
        _ count: Int, of many: Rank, beside few: Rank, fewCount: Int
    ) async throws -> (many: Int, few: Int) {
        let store = EndlessStore(many: many, few: few, fewCount: fewCount)
        store.rest.timer.withLock { [timer] in $0 = timer }
        let sender = RuledSender { receipt, _, _ in .receipt(ReceiptBytes([0xa5] + receipt.bytes)) }
        var options = RefreshOptions(teams: [try Samples.app(): try #require(TeamID(Samples.team))])
        options.paces = [.production: Pace(requestsPerSecond: 1_000, inFlight: 10)]
        _ = try await RefreshRun(
            options: options, sender: sender, verifier: BelievingVerifier(), store: store,
            clock: StandingClock(time: Samples.noon), timer: timer, observer: RecordingObserver(),
            random: SeededGenerator(seed: 8), stopRequested: { sender.sent.count >= count }
        ).run()
        #expect(store.mostAhead <= options.claimAhead + options.unsavedLimit, "\(store.mostAhead) rows in memory")
        let numbers = sender.sent.prefix(count).map { Samples.number($0.bytes) }
        return (numbers.count { $0 < EndlessStore.manyCount }, numbers.count { $0 >= EndlessStore.manyCount })
    }

    @Test("a back-fill of a million does not hold up keys about to expire, nor those the back-fill")
    func backfill() async throws {
        let aboutToExpire = try await sent(1_000, of: .background, beside: .expiring, fewCount: 500)
        #expect(aboutToExpire.few == 500)
        let backfill = try await sent(2_000, of: .expiring, beside: .background, fewCount: 5_000)
        #expect(backfill.few >= 100, "\(backfill)")
        #expect(backfill.many >= 1_500)
    }
}

/// A million due rows of one rank and some of another, made when they are asked for.
private final class EndlessStore: RefreshStoring {
    static let manyCount = 1_000_000

    let rest = MemoryStore([])
    private let numbers: [Rank: Range<Int>]
    private let ahead = Mutex((claimed: 0, stored: 0, most: 0))

    init(many: Rank, few: Rank, fewCount: Int) {
        numbers = [many: 0..<Self.manyCount, few: Self.manyCount..<Self.manyCount + fewCount]
    }

    var mostAhead: Int { ahead.withLock { $0.most } }

    func dueReceipts(
        now: Instant, rank: Rank, after cursor: DueCursor?, limit: Int, app: AppID?, environment: Environment,
        shards: [Int]
    ) async throws(StoreFailure) -> [DueReceipt] {
        guard environment == .production, let range = numbers[rank] else { return [] }
        let start = cursor.map { Samples.number($0.keyID.bytes) + 1 } ?? range.lowerBound
        let rows = (start..<range.upperBound).prefix(limit).compactMap { number in
            try? Samples.due(number, schedule: ScheduleRow(shard: 0, rank: rank, dueTime: Samples.noon))
        }
        ahead.withLock { ahead in
            ahead.claimed += rows.count
            ahead.most = max(ahead.most, ahead.claimed - ahead.stored)
        }
        return rows
    }

    func store(_ outcomes: [Outcome], now: Instant) async throws(StoreFailure) -> [StoredOutcome] {
        ahead.withLock { $0.stored += outcomes.count }
        return outcomes.map { outcome in
            StoredOutcome(
                keyID: outcome.due.keyID, word: .replaced, flagChange: .unchanged, dueTime: now + .days(7))
        }
    }

    func countDue(now: Instant, app: AppID?) async throws(StoreFailure) -> Int {
        numbers.values.reduce(0) { $0 + $1.count }
    }

    func endExpired(now: Instant, app: AppID?) async throws(StoreFailure) -> EndedCounts {
        try await rest.endExpired(now: now, app: app)
    }

    func holdShards(
        _ worker: WorkerID, givingBack: Set<Int>, now: Instant, app: AppID?
    ) async throws(StoreFailure) -> ShardHoldings {
        try await rest.holdShards(worker, givingBack: givingBack, now: now, app: app)
    }

    func releaseShards(_ worker: WorkerID) async throws(StoreFailure) { try await rest.releaseShards(worker) }

    func receipts(of keys: [KeyIdentifier]) async throws(StoreFailure) -> [DueReceipt] { [] }

    func takeSlice(_ request: SliceRequest, from environment: Environment) async throws(StoreFailure) -> PaceSlice {
        try await rest.takeSlice(request, from: environment)
    }

    func answeredEnvironments() async throws(StoreFailure) -> Set<Environment> {
        try await rest.answeredEnvironments()
    }

    func beginRun(now: Instant) async throws(StoreFailure) -> Int64 { try await rest.beginRun(now: now) }

    func finishRun(_ run: Int64, summary: RunSummary, now: Instant) async throws(StoreFailure) {
        try await rest.finishRun(run, summary: summary, now: now)
    }
}
