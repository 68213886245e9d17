import AppAttest
import Refresh
import Synchronization
import TestSupport
import Testing

@Suite("A data server in trouble, and one that is none")
struct ServerTroubleTests {
    private let timer = SteppingTimer()
    private let observer = RecordingObserver()

    private func run(
        _ store: MemoryStore, _ sender: RuledSender, inFlight: Int = 30,
        stopRequested: @escaping @Sendable () -> Bool = { false }
    ) async throws -> RunResult {
        var options = RefreshOptions(teams: [try Samples.app(): try #require(TeamID(Samples.team))])
        options.batchSize = 50
        options.paces = [.production: Pace(requestsPerSecond: 1_000, inFlight: inFlight)]
        store.timer.withLock { [timer] in $0 = timer }
        return try await RefreshRun(
            options: options, sender: sender, verifier: BelievingVerifier(), store: store,
            clock: StandingClock(time: Samples.noon), timer: timer, observer: observer,
            random: SeededGenerator(seed: 8), stopRequested: stopRequested
        ).run()
    }

    private func rows(_ numbers: Range<Int>) throws -> [DueReceipt] { try numbers.map { try Samples.due($0) } }

    private static func good(_ receipt: ReceiptBytes) -> Reply { .receipt(ReceiptBytes([0xa5] + receipt.bytes)) }

    @Test(
        "one that fails for good is asked for a minute, with a probe now and then; what was not sent stays due",
        arguments: [Reply.serverFailure, .unreachable(.connection)], [1, 30, 300])
    func down(reply: Reply, inFlight: Int) async throws {
        let store = MemoryStore(try rows(0..<2_000))
        let sender = RuledSender(gate: inFlight, rule: { _, _, _ in reply })
        let result = try await run(store, sender, inFlight: inFlight)
        #expect(sender.sent.count <= Breaker.enough + inFlight + Breaker.longestProbing)
        #expect(sender.sent.count >= Breaker.enough + Breaker.longestProbing)
        #expect(result.outages.count == 1 && result.summary.failed == sender.sent.count)
        #expect(result.summary.quarantined == 0 && !result.isComplete)
        let sent = Set(sender.sent)
        for number in 0..<2_000 {
            let row = try store.row(number)
            #expect(row.schedule.attempts == 0)
            #expect((row.schedule.dueTime > Samples.noon) == sent.contains(row.receipt))
        }
        #expect(timer.now() < .minutes(3))
    }

    @Test("one that refuses every stream is spared too, and a probe that is refused ends as any other")
    func refusesStreams() async throws {
        let store = MemoryStore(try rows(0..<1_000))
        let result = try await run(store, RuledSender { _, _, _ in .refusedStream })
        #expect(result.outages == [.production: "refused_stream"] && !result.isComplete)
        #expect(result.summary.sent < 100)

        let mixed = MemoryStore(try rows(0..<1_000))
        let sender = RuledSender { receipt, _, _ in
            Samples.number(receipt.bytes) < 40 ? .serverFailure : .refusedStream
        }
        #expect(try await run(mixed, sender).outages.count == 1)
    }

    @Test("one receipt that is refused and sent again three times is one that the data server was asked for")
    func refusesOne() async throws {
        let sender = RuledSender { _, _, _ in .refusedStream }
        let result = try await run(MemoryStore(try rows(0..<1)), sender)
        #expect(sender.sent.count == 4 && result.asked == [.production: 1] && result.outages.isEmpty)
    }

    @Test("one that wants to be left alone for long is: the run ends, says so, and what was not sent is due")
    func longPause() async throws {
        let store = MemoryStore(try rows(0..<1_000))
        let sender = RuledSender { _, _, _ in .tooManyRequests(.delay(seconds: 1_800)) }
        let result = try await run(store, sender)
        #expect(sender.sent.count <= 2 && !result.isComplete)
        let pause = try #require(result.pauses[.production])
        #expect((.minutes(29)...(.minutes(30))).contains(pause))
        #expect(timer.now() < .minutes(2))
        // The next run knows of it, and asks for nothing.
        let next = RuledSender { receipt, _, _ in Self.good(receipt) }
        let later = try await run(store, next)
        #expect(next.sent.isEmpty && later.pauses[.production] != nil && !later.isComplete)
    }

    @Test("one that recovers is asked again at full pace, and every row that had not failed is refreshed")
    func recovers() async throws {
        let store = MemoryStore(try rows(0..<1_000))
        let timer = timer
        let sender = RuledSender { receipt, _, _ in timer.now() < .seconds(20) ? .serverFailure : Self.good(receipt) }
        let result = try await run(store, sender)
        #expect(result.outages.isEmpty && result.isComplete)
        #expect(sender.sent.count == 1_000)
        #expect((1...70).contains(result.summary.failed))
        #expect(result.summary.replaced == 1_000 - result.summary.failed)
    }

    @Test("one row in ten that fails is no trouble of the data server's")
    func someFail() async throws {
        let store = MemoryStore(try rows(0..<1_000))
        let sender = RuledSender { receipt, _, _ in
            Samples.number(receipt.bytes) % 10 == 3 ? .serverFailure : Self.good(receipt)
        }
        let result = try await run(store, sender)
        #expect(result.outages.isEmpty && result.summary.failed == 100 && result.summary.replaced == 900)
    }

    // MARK: - 404 at an URL that never answered otherwise

    private func fresh(_ numbers: Range<Int>) throws -> [DueReceipt] {
        try numbers.map { try Samples.due($0, attestedTime: Samples.noon - .days(3)) }
    }

    @Test("404 to keys attested lately, where nothing else was ever answered: an URL at fault, not a fleet gone quiet")
    func wrongURL() async throws {
        let store = MemoryStore(try fresh(0..<500))
        store.state.withLock { $0.answered = [] }
        let sender = RuledSender { _, _, _ in .noData }
        let result = try await run(store, sender, inFlight: 300)
        #expect(result.stoppedLanes == [try Samples.lane(): .nothingFound])
        #expect(sender.sent.count == 4 && result.summary.quiet == 0 && !result.isComplete)
        #expect(try (0..<500).allSatisfy { try store.row($0).schedule.state == .active })
    }

    @Test(
        "among many old keys a few fresh ones show that the URL is wrong, and next to no old one is taken for quiet",
        arguments: [1, 300])
    func wrongURLForMost(inFlight: Int) async throws {
        let fleet = try (0..<500).flatMap { try $0 % 20 == 19 ? fresh($0..<$0 + 1) : rows($0..<$0 + 1) }
        let store = MemoryStore(fleet)
        store.state.withLock { $0.answered = [] }
        let sender = RuledSender { _, _, _ in .noData }
        let result = try await run(store, sender, inFlight: inFlight)
        #expect(result.stoppedLanes == [try Samples.lane(): .nothingFound])
        #expect(result.summary.quiet == 0)
        #expect(sender.sent.count == 4)
    }

    @Test("where the data server has answered before, or the keys are old, the same 404s are the normal end")
    func quiet() async throws {
        let fleets: [(answered: Set<Environment>, rows: [DueReceipt])] = [
            ([.production], try fresh(0..<200)), ([], try rows(0..<200)),
        ]
        for (answered, rows) in fleets {
            let store = MemoryStore(rows)
            store.state.withLock { $0.answered = answered }
            let result = try await run(store, RuledSender { _, _, _ in .noData })
            #expect(result.stoppedLanes.isEmpty && result.summary.quiet == 200 && result.summary.held == 0)
        }
    }

    @Test("an answer in the same run shows that the URL is right, and the 404 before it was the receipt's")
    func settled() async throws {
        let store = MemoryStore(try fresh(0..<100))
        store.state.withLock { $0.answered = [] }
        let sender = RuledSender { receipt, _, _ in
            Samples.number(receipt.bytes) % 2 == 0 ? .noData : Self.good(receipt)
        }
        let result = try await run(store, sender)
        #expect(result.stoppedLanes.isEmpty)
        #expect(result.summary.quiet == 50 && result.summary.replaced == 50)
    }
}
