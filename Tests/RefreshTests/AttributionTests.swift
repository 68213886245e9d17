import AppAttest
import Refresh
import Synchronization
import TestSupport
import Testing

@Suite("Whose fault a failure is")
struct AttributionTests {
    private let observer = RecordingObserver()

    /// A failure that may be the receipt's or ours, and what it costs the receipt when it is the receipt's.
    struct Fault: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let reply: Reply
        let cause: StopCause
        let charged: OutcomeWord
    }

    private static let faults = [
        Fault(
            testDescription: "401", reply: .unauthorized, cause: .credentialRefused, charged: .quarantined),
        Fault(testDescription: "400", reply: .badRequest, cause: .requestsRefused, charged: .failed),
        Fault(
            testDescription: "400, incorrect environment", reply: .incorrectEnvironment, cause: .environmentRefused,
            charged: .quarantined),
        Fault(
            testDescription: "an answer that does not verify", reply: .receipt(ReceiptBytes([0])),
            cause: .answersDoubted("signature_invalid"), charged: .failed),
    ]

    private func run(
        _ store: MemoryStore, _ sender: RuledSender, inFlight: Int, requestsPerSecond: Double = 10_000,
        keyIDs: [AppID: [String]] = [:]
    ) async throws -> RunResult {
        var options = RefreshOptions(teams: [
            try Samples.app(): try #require(TeamID(Samples.team)),
            try Samples.app(ofTeam: Samples.otherTeam): try #require(TeamID(Samples.otherTeam)),
        ])
        for app in keyIDs.keys { options.teams[app] = TeamID(Samples.team) }
        options.keyIDs = keyIDs
        options.batchSize = 100
        options.paces = [.production: Pace(requestsPerSecond: requestsPerSecond, inFlight: inFlight)]
        let timer = SteppingTimer()
        store.timer.withLock { $0 = timer }
        sender.timer.withLock { $0 = timer }
        return try await RefreshRun(
            options: options, sender: sender, verifier: BelievingVerifier(), store: store,
            clock: StandingClock(time: Samples.noon), timer: timer, observer: observer,
            random: SeededGenerator(seed: 8)
        ).run()
    }

    private func rows(_ numbers: Range<Int>, team: String = Samples.team) throws -> [DueReceipt] {
        try numbers.map { try Samples.due($0, team: team) }
    }

    private static func good(_ receipt: ReceiptBytes) -> Reply { .receipt(ReceiptBytes([0xa5] + receipt.bytes)) }

    @Test(
        "1 and 3 % bad rows, wherever they stand: each is charged, all others go on, and nothing is sent twice",
        arguments: faults, [1, 300])
    func someBad(fault: Fault, inFlight: Int) async throws {
        for every in [100, 33] {
            let store = MemoryStore(try rows(0..<1_000))
            let sender = RuledSender { receipt, _, _ in
                Samples.number(receipt.bytes) % every == 0 ? fault.reply : Self.good(receipt)
            }
            let result = try await run(store, sender, inFlight: inFlight)
            let bad = Set((0..<1_000).filter { $0 % every == 0 })
            #expect(sender.sent.count == 1_000 && Set(sender.sent).count == 1_000)
            #expect(result.stoppedLanes.isEmpty)
            #expect(result.summary.replaced == 1_000 - bad.count)
            for number in bad {
                let row = try store.row(number).schedule
                #expect(row.attempts == 1 && row.lastOutcome == fault.charged, "\(number)")
            }
            let charged = try (0..<1_000).filter { try store.row($0).schedule.attempts > 0 }
            #expect(Set(charged) == bad)
        }
    }

    @Test(
        "all rows bad: a handful of calls, the lane stops, and not one row is charged", arguments: faults, [1, 300])
    func allBad(fault: Fault, inFlight: Int) async throws {
        let store = MemoryStore(try rows(0..<1_000))
        let sender = RuledSender { _, _, _ in fault.reply }
        let result = try await run(store, sender, inFlight: inFlight)
        #expect(sender.sent.count == 4)
        #expect(result.stoppedLanes == [try Samples.lane(): fault.cause])
        #expect(result.summary.held <= 1_000 && result.summary.quarantined == 0 && result.summary.failed == 0)
        let all = try (0..<1_000).map { try store.row($0).schedule }
        #expect(all.allSatisfy { $0.attempts == 0 && $0.failures == 0 && $0.state == .active })
        // What was tried waits for some hours; what was not is still due, so that the next run shows a mended key.
        let held = all.filter { $0.dueTime > Samples.noon }
        #expect(held.count == 4)
        #expect(held.allSatisfy { (.hours(1)...(.hours(6))).contains($0.dueTime - Samples.noon) })
        #expect(observer.events.count { $0.failure == "lane_stopped" } <= 996)
    }

    @Test("a fault that begins with hundreds in flight: none of them is charged", arguments: faults)
    func turnsBad(fault: Fault) async throws {
        let store = MemoryStore(try rows(0..<2_000))
        let sender = RuledSender(gate: 300) { receipt, _, _ in
            Samples.number(receipt.bytes) < 100 ? Self.good(receipt) : fault.reply
        }
        let result = try await run(store, sender, inFlight: 300)
        #expect(result.stoppedLanes == [try Samples.lane(): fault.cause])
        #expect(result.summary.replaced == 100)
        #expect(sender.sent.count <= 100 + 300 + 6)
        #expect(try (0..<2_000).allSatisfy { try store.row($0).schedule.attempts == 0 })
    }

    @Test(
        "whichever of the requests that are on their way together the fault meets, none is charged", arguments: faults)
    func overtaken(fault: Fault) async throws {
        let store = MemoryStore(try rows(0..<2_000))
        // The last of the first 301 overtook the others, and came before the fault began.
        let sender = RuledSender(gate: 300) { receipt, _, _ in
            let isEarly = [0...0, 250...300].contains { $0.contains(Samples.number(receipt.bytes)) }
            return isEarly ? Self.good(receipt) : fault.reply
        }
        let result = try await run(store, sender, inFlight: 300)
        #expect(result.stoppedLanes == [try Samples.lane(): fault.cause])
        #expect(result.summary.replaced == 52 && result.summary.quarantined == 0)
        #expect(try (0..<2_000).allSatisfy { try store.row($0).schedule.attempts == 0 })
    }

    @Test(
        "of a few rows that could all be on their way together one stays back that can show the lane good",
        arguments: 3...6)
    func smallFleet(count: Int) async throws {
        for bad in 0..<count - 1 {
            let store = MemoryStore(try rows(0..<count))
            let sender = RuledSender { receipt, _, _ in
                Samples.number(receipt.bytes) == bad ? .unauthorized : Self.good(receipt)
            }
            let result = try await run(store, sender, inFlight: 30)
            #expect(result.summary.quarantined == 1 && result.summary.replaced == count - 1)
            #expect(sender.sent.count == count && sender.mostInFlight <= max(1, count - 2))
        }
    }

    @Test("more failures in flight than may wait for the store do not hang the run")
    func manyFailures() async throws {
        let store = MemoryStore(try rows(0..<2_000))
        let sender = RuledSender(gate: 900) { receipt, _, _ in
            Samples.number(receipt.bytes) == 0 ? Self.good(receipt) : .unauthorized
        }
        let result = try await run(store, sender, inFlight: 900)
        #expect(result.stoppedLanes == [try Samples.lane(): .credentialRefused])
        #expect(sender.sent.count < 2_000 && result.summary.held <= 1_999)
    }

    @Test(
        "a doubt that nothing decides ends, charges nobody, and does not leave the run at one in flight",
        arguments: [1_000, 10, 4])
    func undecided(refusedEvery: Int) async throws {
        let store = MemoryStore(try rows(0..<1_000))
        let isPlain = refusedEvery == 1_000
        let sender = RuledSender(gate: isPlain ? 200 : 0, passingFirst: 21) { receipt, _, _ in
            let number = Samples.number(receipt.bytes)
            if number == 0 { return .receipt(ReceiptBytes([0])) }
            return number % refusedEvery == 0 ? .unauthorized : .noData
        }
        let result = try await run(store, sender, inFlight: 200)
        #expect(result.stoppedLanes.isEmpty && sender.sent.count == 1_000)
        if isPlain { #expect(sender.mostInFlight == 200) }
        #expect(result.concerns.notVerified == ["signature_invalid": 1])
        #expect(try store.row(0).schedule.attempts == 0)
        #expect(result.summary.quiet == 999 - (1..<1_000).count { $0 % refusedEvery == 0 })
        #expect(result.summary.quarantined + result.summary.held == 1_000 - result.summary.quiet)
        #expect(result.summary.held >= 1 && result.summary.held <= (isPlain ? 1 : 100))
    }

    @Test("a key that one app alone has is not the matter of its team's other apps", arguments: [1, 30])
    func otherKeys(inFlight: Int) async throws {
        let (good, bad) = (try Samples.app(), try #require(AppID("\(Samples.team).com.example.other")))
        let all = try (0..<400).map { number -> DueReceipt in
            try Samples.due(number, app: number % 2 == 0 ? good : bad)
        }
        let store = MemoryStore(all)
        let sender = RuledSender { receipt, app, _ in app == bad ? .unauthorized : Self.good(receipt) }
        let result = try await run(
            store, sender, inFlight: inFlight, keyIDs: [good: ["KEYAAAAAAA"], bad: ["KEYBBBBBBB"]])
        #expect(result.refusedLanes.map(\.keyIDs) == [["KEYBBBBBBB"]])
        #expect(result.summary.replaced == 200 && result.summary.quarantined == 0)
        #expect(try (0..<400).allSatisfy { try store.row($0).schedule.attempts == 0 })
    }

    @Test("many bad rows first cost their charges and not the run: probes are drawn by lot", arguments: [3, 4, 10])
    func badFirst(count: Int) async throws {
        let store = MemoryStore(try rows(0..<100))
        let sender = RuledSender { receipt, _, _ in
            Samples.number(receipt.bytes) < count ? .unauthorized : Self.good(receipt)
        }
        let result = try await run(store, sender, inFlight: 30)
        #expect(result.stoppedLanes.isEmpty && sender.sent.count == 100)
        #expect(result.summary.quarantined == count && result.summary.replaced == 100 - count)
    }

    @Test("rows that are known to be good go first as probes, so fifty bad ones in a row do not stop the run")
    func provenFirst() async throws {
        let schedule = ScheduleRow(
            shard: 0, rank: .routine, dueTime: Samples.noon, lastOutcome: .replaced,
            lastOutcomeTime: Samples.noon - .days(7))
        let store = MemoryStore(try rows(0..<60) + (60..<100).map { try Samples.due($0, schedule: schedule) })
        let sender = RuledSender { receipt, _, _ in
            Samples.number(receipt.bytes) < 50 ? .unauthorized : Self.good(receipt)
        }
        let result = try await run(store, sender, inFlight: 30)
        #expect(sender.sent.first.map { Samples.number($0.bytes) } == 60)
        #expect(result.summary.quarantined == 50 && result.summary.replaced == 50)
    }

    @Test("a mixture of every fault, in whatever order: each row gets what is its own", arguments: [1, 30, 300])
    func mixture(inFlight: Int) async throws {
        for seed in UInt64(1)...5 {
            var random = SeededGenerator(seed: seed)
            let kinds = (0..<3_000).map { _ in random.pick(0..<24) }
            let store = MemoryStore(try rows(0..<3_000))
            let sender = RuledSender { receipt, _, _ in
                switch kinds[Samples.number(receipt.bytes)] {
                case 0, 1: .unauthorized
                case 2, 3: .badRequest
                case 4, 5: .incorrectEnvironment
                case 6, 7: .receipt(ReceiptBytes([0]))
                case 8, 9: .serverFailure
                case 10, 11: .noData
                case 12, 13: .notModified
                default: Self.good(receipt)
                }
            }
            let result = try await run(store, sender, inFlight: inFlight)
            let summary = result.summary
            func count(_ wanted: Range<Int>) -> Int { kinds.count { wanted.contains($0) } }
            #expect(result.stoppedLanes.isEmpty, "seed \(seed)")
            #expect(sender.sent.count == 3_000)
            #expect(summary.quiet == count(10..<12) && summary.early == count(12..<14))
            #expect(summary.replaced == count(14..<24))
            // Of those that were on their way together at the end, the failures may be left without a proof.
            #expect(summary.held <= max(20, inFlight / 2))
            #expect(summary.quarantined <= count(0..<2) + count(4..<6))
            #expect(summary.quarantined + summary.failed + summary.held == count(0..<10))
        }
    }

    @Test("304 and 404 show the credential and the host, and do not show that answers are judged rightly")
    func serviceOnly() async throws {
        for reply in [Reply.notModified, .noData] {
            let refused = MemoryStore(try rows(0..<10))
            let first = try await run(
                refused, RuledSender { receipt, _, _ in Samples.number(receipt.bytes) == 0 ? .unauthorized : reply },
                inFlight: 5)
            #expect(first.summary.quarantined == 1 && first.stoppedLanes.isEmpty)
            let doubted = MemoryStore(try rows(0..<10))
            let second = try await run(
                doubted,
                RuledSender { receipt, _, _ in
                    Samples.number(receipt.bytes) == 0 ? .receipt(ReceiptBytes([0])) : reply
                }, inFlight: 5)
            #expect(second.summary.quarantined == 0 && second.summary.held == 1)
            #expect(try doubted.row(0).schedule.attempts == 0)
        }
    }

    @Test(
        "without a row left that could show the lane good, the failure is held, and somebody is told",
        arguments: [(Reply.badRequest, 1, 0, 0), (.unauthorized, 0, 1, 0), (.noData, 0, 0, 1)])
    func noProbe(reply: Reply, badRequests: Int, unauthorized: Int, notFound: Int) async throws {
        let store = MemoryStore([try Samples.due(0, attestedTime: Samples.noon - .days(1))])
        store.state.withLock { $0.answered = [] }
        let result = try await run(store, RuledSender { _, _, _ in reply }, inFlight: 5)
        var concerns = Concerns()
        concerns.badRequests = badRequests
        concerns.unauthorized = unauthorized
        concerns.notFound = notFound
        #expect(result.stoppedLanes.isEmpty && result.summary.held == 1)
        #expect(result.concerns == concerns && concerns.needPerson)
        #expect(try store.row(0).schedule.attempts == 0)
    }

    @Test("a key that ends with many in flight: each is sent once more with the other one, by the pace as all are")
    func otherKey() async throws {
        let store = MemoryStore(try rows(0..<300))
        let sender = RuledSender(keys: 2, gate: 50) { receipt, _, times in
            (1...50).contains(Samples.number(receipt.bytes)) && times == 1 ? .unauthorized : Self.good(receipt)
        }
        let result = try await run(store, sender, inFlight: 50, requestsPerSecond: 100)
        #expect(result.summary.replaced == 300 && result.summary.sent == 300 && result.stoppedLanes.isEmpty)
        #expect(sender.sent.count == 350 && sender.mostInFlight == 50)
        // The rate, and a fifth of it as the burst.
        let times = sender.sentTimes
        #expect(zip(times, times.dropFirst(121)).allSatisfy { $1 - $0 >= .seconds(1) })
    }

    @Test("two keys that are both refused cost the calls of one twice, and nobody is charged", arguments: [1, 300])
    func bothKeys(inFlight: Int) async throws {
        let store = MemoryStore(try rows(0..<1_000))
        let sender = RuledSender(keys: 2) { _, _, _ in .unauthorized }
        let result = try await run(store, sender, inFlight: inFlight)
        #expect(result.refusedLanes == [try Samples.lane()])
        #expect(sender.sent.count == 8 && Set(sender.sent).count == 4 && result.summary.sent == 4)
        #expect(try (0..<1_000).allSatisfy { try store.row($0).schedule.attempts == 0 })
    }

    @Test("one team's bad credential is not another team's matter")
    func otherTeam() async throws {
        let other = try Samples.app(ofTeam: Samples.otherTeam)
        let store = MemoryStore(try rows(0..<300) + rows(300..<600, team: Samples.otherTeam))
        let sender = RuledSender { receipt, app, _ in app == other ? .unauthorized : Self.good(receipt) }
        let result = try await run(store, sender, inFlight: 30)
        #expect(result.refusedLanes == [try Samples.lane(ofTeam: Samples.otherTeam)])
        #expect(result.summary.replaced == 300 && result.summary.held == 300 && result.summary.sent == 304)
    }
}
