import AppAttest
import Refresh
import Synchronization
import TestSupport
import Testing

@Suite("A run among others")
struct SharedRunTests {
    private let timer = SteppingTimer()
    private let observer = RecordingObserver()

    private func run(
        _ store: MemoryStore, _ sender: RuledSender, stopRequested: @escaping @Sendable () -> Bool = { false }
    ) async throws -> RunResult {
        var options = RefreshOptions(teams: [try Samples.app(): try #require(TeamID(Samples.team))])
        options.batchSize = 20
        options.paces = [.production: Pace(requestsPerSecond: 300, inFlight: 30)]
        store.timer.withLock { [timer] in $0 = timer }
        return try await RefreshRun(
            options: options, sender: sender, verifier: BelievingVerifier(), store: store,
            clock: StandingClock(time: Samples.noon), timer: timer, observer: observer,
            random: SeededGenerator(seed: 8), stopRequested: stopRequested
        ).run()
    }

    /// Rows whose shard is their number's remainder by 64.
    private func rows(_ numbers: Range<Int>) throws -> [DueReceipt] {
        try numbers.map { number in
            try Samples.due(
                number, schedule: ScheduleRow(shard: number % 64, rank: .routine, dueTime: Samples.noon))
        }
    }

    private func store(_ rows: [DueReceipt], looks: [ShardHoldings]) -> MemoryStore {
        let store = MemoryStore(rows)
        store.state.withLock { $0.leases.looks = looks }
        return store
    }

    private static let answering: @Sendable (ReceiptBytes, AppID, Int) -> Reply = { receipt, _, _ in
        .receipt(ReceiptBytes([0xa5] + receipt.bytes))
    }

    private func shardsSent(_ sender: RuledSender) -> Set<Int> {
        Set(sender.sent.map { Samples.number($0.bytes) % 64 })
    }

    private func alive(_ shards: Range<Int>, sign: Int64) -> [ShardHoldings.Other] {
        shards.map { ShardHoldings.Other(shard: $0, counter: 1, sign: Instant(seconds: sign)) }
    }

    @Test("it sends what is in its shards and nothing else, and gives them back at its end")
    func part() async throws {
        let looks = (1...5).map { ShardHoldings.all(0..<16, others: alive(16..<64, sign: $0), share: 16) }
        let store = store(try rows(1..<641), looks: looks)
        let sender = RuledSender(rule: Self.answering)
        let result = try await run(store, sender)
        #expect(shardsSent(sender) == Set(0..<16))
        #expect(sender.sent.count == 160 && result.summary.replaced == 160)
        let leases = store.state.withLock { $0.leases }
        #expect(leases.released.count == 1 && leases.workers == Set(leases.released))
    }

    @Test("shards that come to it later are read too, and no row of them twice")
    func handedOver() async throws {
        let looks = [
            ShardHoldings.all(0..<32, others: alive(32..<64, sign: 1), share: 32),
            ShardHoldings.all(0..<32, others: alive(32..<64, sign: 1), share: 32),
            ShardHoldings.all(share: 64),
        ]
        let store = store(try rows(1..<1_281), looks: looks)
        let sender = RuledSender(rule: Self.answering)
        let result = try await run(store, sender)
        #expect(sender.sent.count == 1_280 && Set(sender.sent).count == 1_280)
        #expect(result.summary.replaced == 1_280)
    }

    @Test("a lease that is lost in the middle: its waiting rows are not sent, and are read anew when it is had again")
    func lost() async throws {
        // Time runs fast here: some looks are over before the first row is sent.
        let looks =
            [ShardHoldings](repeating: .all(), count: 3) + [
                .all(0..<32, share: 64), .all(0..<32, share: 64),
                ShardHoldings(
                    held: ShardHoldings.all(0..<32).held + ShardHoldings.all(32..<64, counter: 3).held, share: 64),
            ]
        let store = store(try rows(32..<6_432), looks: looks)
        let sender = RuledSender(rule: Self.answering)
        let result = try await run(store, sender)
        #expect(Set(sender.sent).count == sender.sent.count, "no row is sent twice")
        #expect(sender.sent.count == 6_400 && result.summary.replaced == 6_400)
        let tokens = Set(store.stored.filter { $0.due.schedule.shard >= 32 }.compactMap { $0.token?.counter })
        #expect(tokens.contains(3) && tokens.isSubset(of: [1, 3]))
    }

    @Test("a part that shrinks: what is on its way is stored, the shard is given back, the rest is not sent")
    func shrinking() async throws {
        let store = store(try rows(1..<2_561), looks: [.all(share: 64), .all(share: 32)])
        let sender = RuledSender(rule: Self.answering)
        let result = try await run(store, sender)
        #expect(result.summary.sent == sender.sent.count && Set(sender.sent).count == sender.sent.count)
        #expect(store.stored.count == sender.sent.count)
        #expect(sender.sent.count < 2_560 && sender.sent.count >= 1_280)
        let given = store.state.withLock { $0.leases.givenBack }
        #expect(given.allSatisfy { $0.count <= 32 } && !given.isEmpty)
    }

    @Test("with nothing due in its shards and nothing elsewhere, it leaves after its first look")
    func nothingLeft() async throws {
        let store = store([], looks: [.all(0..<0, share: 32)])
        let result = try await run(store, RuledSender(rule: Self.answering))
        #expect(result.summary.sent == 0 && result.isComplete)
        #expect(store.state.withLock { $0.leases.looked } == 1)
    }

    @Test("beside a worker that shows no life it stays until that one's leases run out, and then does its rows")
    func deadWorker() async throws {
        let dead = ShardHoldings.all(0..<0, others: alive(0..<64, sign: 1), share: 32)
        let store = store(try rows(1..<101), looks: Array(repeating: dead, count: 30) + [.all()])
        let result = try await run(store, RuledSender(rule: Self.answering))
        #expect(result.summary.replaced == 100)
        #expect(store.state.withLock { $0.leases.looked } >= 31)
    }

    @Test("a stop is heard, and what is on its way beyond the grace is given up with its rows as they are")
    func grace() async throws {
        let stopped = Mutex(false)
        let store = store(try rows(1..<11), looks: [.all()])
        let sender = RuledSender(gate: 100) { receipt, _, _ in
            stopped.withLock { $0 = true }
            return .receipt(ReceiptBytes([0xa5] + receipt.bytes))
        }
        let before = try (2..<11).map { try store.row($0).schedule }
        // One stays back while others are on their way, and is as it was too.
        let result = try await run(store, sender) { stopped.withLock { $0 } && sender.sent.count == 9 }
        #expect(sender.isGivenUp)
        #expect(result.givenUp == 8 && result.summary.replaced == 1 && result.summary.held == 8)
        #expect(try (2..<11).map { try store.row($0).schedule } == before)
        #expect(observer.events.count { $0.failure == "given_up" && $0.outcome == .held } == 8)
        #expect(store.finished == result.summary)
        #expect(timer.now() >= .seconds(30))
    }
}
