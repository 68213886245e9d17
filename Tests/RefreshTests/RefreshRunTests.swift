import AppAttest
import Refresh
import Synchronization
import TestSupport
import Testing

@Suite("One run")
struct RefreshRunTests {
    private let timer = SteppingTimer()
    private let observer = RecordingObserver()

    private func options(_ change: (inout RefreshOptions) -> Void = { _ in }) throws -> RefreshOptions {
        var options = RefreshOptions(teams: [
            try Samples.app(): try #require(TeamID(Samples.team)),
            try Samples.app(ofTeam: Samples.otherTeam): try #require(TeamID(Samples.otherTeam)),
        ])
        options.batchSize = 20
        options.paces = [.production: Pace(requestsPerSecond: 1_000, inFlight: 30)]
        change(&options)
        return options
    }

    private func run(
        _ store: MemoryStore, _ sender: RuledSender, options: RefreshOptions? = nil,
        stopRequested: @escaping @Sendable () -> Bool = { false }
    ) async throws -> RunResult {
        store.timer.withLock { [timer] in $0 = timer }
        return try await RefreshRun(
            options: try options ?? self.options(), sender: sender, verifier: BelievingVerifier(), store: store,
            clock: StandingClock(time: Samples.noon), timer: timer, observer: observer,
            random: SeededGenerator(seed: 8), stopRequested: stopRequested
        ).run()
    }

    private func rows(_ numbers: Range<Int>, team: String = Samples.team) throws -> [DueReceipt] {
        try numbers.map { try Samples.due($0, team: team) }
    }

    /// An answer that the verifier believes.
    private static let answering: @Sendable (ReceiptBytes, AppID, Int) -> Reply = { receipt, _, _ in
        .receipt(ReceiptBytes([0xa5] + receipt.bytes))
    }

    @Test("Every due row is sent once, replaced, counted and told of; the run is recorded")
    func everyRowOnce() async throws {
        let store = MemoryStore(try rows(1..<1_001))
        let sender = RuledSender(rule: Self.answering)
        let result = try await run(store, sender)

        #expect(Set(sender.sent).count == 1_000)
        #expect(sender.sent.count == 1_000)
        #expect(Set(store.stored.map(\.due.keyID)).count == 1_000)
        var expected = RunSummary()
        expected.due = 1_000
        expected.sent = 1_000
        expected.replaced = 1_000
        expected.retired = 3
        expected.lost = 1
        #expect(result.summary == expected)
        #expect(store.finished == expected)
        #expect(result.isComplete && result.unsaved == 0 && result.stoppedLanes.isEmpty && result.unavailable.isEmpty)
        #expect(observer.events.count == 1_000)
        let event = try #require(observer.events.first)
        #expect(event.outcome == .replaced && event.riskMetric == 2 && event.creationTime == Samples.noon)
        #expect(event.traceID == "trace" && event.failure == nil && event.dueTime == Samples.noon + .days(7))
        #expect(observer.progress.last?.done == 1_000 && observer.progress.last?.due == 1_000)
        #expect(store.batches.allSatisfy { $0 <= 20 })
    }

    @Test("With every kind of reply, what was sent is the sum of its outcomes, and no row is sent twice")
    func sumOfOutcomes() async throws {
        // The last hundred are good: whatever is drawn as a probe, some of them come after all others.
        let store = MemoryStore(try rows(0..<1_300))
        let sender = RuledSender { receipt, app, times in
            let number = Samples.number(receipt.bytes)
            return switch number < 1_200 ? number % 12 : 0 {
            case 0, 1, 2: Self.answering(receipt, app, times)
            case 3: .notModified
            case 4: .noData
            case 5: .badRequest
            case 6: .incorrectEnvironment
            case 7: .serverFailure
            case 8: .unreachable(.timeout)
            case 9: .unexpected(.notBase64)
            case 10: .receipt(ReceiptBytes([0]))
            default: .tooManyRequests(.delay(seconds: 1))
            }
        }
        let result = try await run(store, sender)
        let summary = result.summary

        #expect(sender.sent.count == 1_300)
        #expect(Set(sender.sent).count == 1_300)
        #expect(summary.sent == 1_300)
        let counts = [
            summary.replaced, summary.early, summary.quiet, summary.superseded, summary.held, summary.quarantined,
            summary.failed,
        ]
        #expect(counts == [400, 100, 100, 0, 0, 100, 600])
        #expect(summary.sent == counts.reduce(0, +))
        #expect(store.stored.filter { $0.fault == Samples.fault }.count == 100)
        let failures = Set(observer.events.compactMap(\.failure))
        var concerns = Concerns()
        concerns.notVerified = ["signature_invalid": 100]
        concerns.badRequests = 100
        #expect(result.concerns == concerns && result.stoppedLanes.isEmpty)
        #expect(
            failures == [
                "bad_request", "incorrect_environment", "server_failure", "timeout", "not_base64",
                "signature_invalid", "too_many_requests",
            ])
    }

    @Test("A server whose Date is two days off: held unmerged, the lane stops, the skew is told")
    func clocksApart() async throws {
        let store = MemoryStore(try rows(0..<50))
        let sender = RuledSender(date: Samples.noon + .days(2), rule: Self.answering)
        let result = try await run(store, sender)

        #expect(sender.sent.count == 1)
        #expect(result.summary.replaced == 0 && result.summary.held == 50)
        #expect(result.stoppedLanes == [try Samples.lane(): .clocksApart(.days(2))])
        #expect(result.refusedLanes.isEmpty)
        #expect(result.clockSkew == [.production: .days(2)])
    }

    @Test("Rows of an app that is not configured are held, and never sent")
    func unconfiguredApp() async throws {
        let store = MemoryStore(try rows(0..<50, team: "NOTOURTEAM") + rows(50..<60))
        let sender = RuledSender(rule: Self.answering)
        let result = try await run(store, sender)
        #expect(sender.sent.count == 10)
        #expect(result.summary.held == 50 && result.summary.replaced == 10)
        #expect(result.concerns.unconfigured == [try Samples.app(ofTeam: "NOTOURTEAM"): 50])
        #expect(result.concerns.needPerson)
    }

    @Test("Never more in flight than allowed, and as many as allowed", arguments: [1, 30, 300])
    func inFlightBound(limit: Int) async throws {
        let store = MemoryStore(try rows(0..<1_000))
        let sender = RuledSender(gate: limit, rule: Self.answering)
        let result = try await run(
            store, sender,
            options: options {
                $0.batchSize = 500
                $0.paces = [.production: Pace(requestsPerSecond: 100_000, inFlight: limit)]
            })
        #expect(sender.mostInFlight == limit)
        #expect(result.summary.replaced == 1_000)
    }

    @Test("Claims run ahead by the queues and no further, however large the backlog")
    func boundedMemory() async throws {
        let store = MemoryStore(try rows(0..<3_000))
        let sender = RuledSender(rule: Self.answering)
        let options = try options()
        let result = try await run(store, sender, options: options)
        #expect(result.summary.replaced == 3_000)
        #expect(store.mostAhead <= options.claimAhead + options.unsavedLimit + 30, "\(store.mostAhead) rows")
    }

    @Test("A limit ends the run after so many rows", arguments: [1, 20, 33])
    func limit(limit: Int) async throws {
        let store = MemoryStore(try rows(0..<100))
        let sender = RuledSender(rule: Self.answering)
        let result = try await run(store, sender, options: options { $0.limit = limit })
        #expect(sender.sent.count == limit)
        #expect(result.summary.due == 100 && result.summary.sent == limit && result.summary.replaced == limit)
        #expect(observer.progress.last?.done == limit && observer.progress.last?.due == limit)
        #expect(!result.isComplete)
    }

    @Test("A dry run counts what is due, and neither sends nor stores")
    func dryRun() async throws {
        let store = MemoryStore(try rows(0..<100))
        let sender = RuledSender(rule: Self.answering)
        let result = try await run(store, sender, options: options { $0.dryRun = true })
        var expected = RunSummary()
        expected.due = 100
        #expect(result.summary == expected)
        #expect(sender.sent.isEmpty && store.stored.isEmpty && store.claims == 0 && store.begun == 0)
    }

    @Test("One app only")
    func oneApp() async throws {
        let store = MemoryStore(try rows(0..<10) + rows(10..<30, team: Samples.otherTeam))
        let sender = RuledSender(rule: Self.answering)
        let app = try Samples.app()
        let result = try await run(store, sender, options: options { $0.app = app })
        #expect(result.summary.due == 10 && result.summary.replaced == 10)
    }

    @Test("A store that fails ends the run: in-flight answers are waited for, and counted as unsaved")
    func storeFails() async throws {
        let store = MemoryStore(try rows(0..<1_000), failingBatches: 3..<1_000)
        let sender = RuledSender(rule: Self.answering)
        let failure = try await #require(throws: RunFailure.self) { try await run(store, sender) }

        #expect(failure.cause == MemoryStore.away)
        #expect(sender.sent.count < 1_000)
        #expect(failure.result.summary.sent == sender.sent.count)
        #expect(failure.result.summary.replaced == store.stored.count)
        #expect(failure.result.unsaved == sender.sent.count - store.stored.count)
        #expect(failure.result.unsaved > 0)
        // The third batch, again and again for as long as the run's patience lasts.
        #expect((5...10).contains(store.batches.count) && Set(store.batches[2...]).count == 1)
        #expect(observer.outages == [.seconds(60)] && observer.recoveries == 0)
        #expect(store.finished == nil)
    }

    @Test("Due rows that cannot be read end the run; what has been sent is stored all the same")
    func claimFails() async throws {
        let store = MemoryStore(try rows(0..<1_000), failingClaims: 4..<1_000)
        let sender = RuledSender(rule: Self.answering)
        let failure = try await #require(throws: RunFailure.self) { try await run(store, sender) }
        #expect(failure.cause == MemoryStore.away)
        #expect(failure.result.summary.sent == sender.sent.count)
        #expect(failure.result.summary.replaced == sender.sent.count && failure.result.unsaved == 0)
        #expect((6...11).contains(store.claims))
        #expect(observer.outages == [.seconds(60)] && observer.recoveries == 0)
        #expect(sender.sent.count <= 60)
    }

    @Test("A data server that is never reached is told of; one that is reached once is not")
    func unavailable() async throws {
        let down = RuledSender(date: nil) { _, _, _ in .unreachable(.connection) }
        let result = try await run(MemoryStore(try rows(0..<20)), down)
        #expect(result.unavailable == [.production: "connection"] && result.outages.isEmpty)
        #expect(result.summary.failed == 20 && result.summary.sent == 20)

        let once = RuledSender { receipt, app, times in
            Samples.number(receipt.bytes) == 7 ? Self.answering(receipt, app, times) : .serverFailure
        }
        #expect(try await run(MemoryStore(try rows(0..<20)), once).unavailable.isEmpty)
    }

    @Test(
        "Failures and pages that are not Apple's are no service; 429 is, and is told of where nothing better came",
        arguments: [
            ([.serverFailure], "server_failure", false), ([.unexpected(.notBase64)], "not_base64", false),
            ([.unexpected(.status(302))], "unexpected_status", false), ([.tooManyRequests(nil)], nil, true),
            ([.serverFailure, .tooManyRequests(nil)], nil, true), ([.notModified, .tooManyRequests(nil)], nil, false),
            ([.badRequest, .serverFailure], nil, false),
        ] as [([Reply], String?, Bool)])
    func service(replies: [Reply], unavailable: String?, throttled: Bool) async throws {
        let sender = RuledSender { receipt, _, _ in replies[Samples.number(receipt.bytes) % replies.count] }
        let result = try await run(MemoryStore(try rows(0..<4)), sender)
        #expect(result.unavailable[.production] == unavailable)
        #expect(result.served == (unavailable == nil ? [.production] : []))
        #expect(result.throttled == (throttled ? [.production] : []))
    }

    @Test("A row with the third 304 in a row is told of, and one with other failures before it is not")
    func earlyAgain() async throws {
        func row(_ number: Int, failures: Int, last: OutcomeWord) throws -> DueReceipt {
            try Samples.due(
                number,
                schedule: ScheduleRow(
                    shard: 0, rank: .routine, dueTime: Samples.noon, failures: failures, lastOutcome: last))
        }
        let store = MemoryStore([
            try row(1, failures: 1, last: .early), try row(2, failures: 2, last: .early),
            try row(3, failures: 5, last: .failed),
        ])
        let result = try await run(store, RuledSender { _, _, _ in .notModified })
        #expect(result.summary.early == 3)
        #expect(result.concerns.earlyAgain == 1 && !result.concerns.needPerson)
        #expect(try (1...3).map { try store.row($0).schedule.failures } == [2, 3, 1])
    }

    @Test("A data server that is paused with a full queue does not hold up the other's rows")
    func otherEnvironmentGoesOn() async throws {
        let development = try (2_000..<2_300).map { try Samples.due($0, environment: .development) }
        let store = MemoryStore(try rows(0..<1_000) + development)
        let sender = RuledSender { receipt, app, times in
            Samples.number(receipt.bytes) < 2_000
                ? .tooManyRequests(.delay(seconds: 3_600)) : Self.answering(receipt, app, times)
        }
        let timer = timer
        let result = try await run(store, sender, stopRequested: { timer.now() >= .minutes(30) })
        #expect(result.summary.replaced == 300)
        #expect(sender.sent.filter { Samples.number($0.bytes) < 2_000 }.count == 1)
    }

    @Test("A database that comes back costs no answer: the same batch is stored again, the same rows are claimed")
    func storeComesBack() async throws {
        let store = MemoryStore(try rows(0..<1_000), failingBatches: 3..<6, failingClaims: 2..<5)
        let sender = RuledSender(rule: Self.answering)
        let result = try await run(store, sender)
        #expect(result.summary.replaced == 1_000 && result.unsaved == 0 && result.isComplete)
        #expect(store.stored.count == 1_000 && sender.sent.count == 1_000)
        #expect(Set(store.batches[2..<6]).count == 1)
        #expect(store.finished == result.summary)
        #expect((1...2).contains(observer.outages.count) && observer.recoveries == observer.outages.count)
    }

    @Test("What fails for good is not tried again")
    func storeFailsForGood() async throws {
        let failure = StoreFailure.statementFailed(query: "write_schedule", sqlState: "42501", message: "denied")
        let store = MemoryStore(try rows(0..<1_000), failingBatches: 3..<4, failure: failure)
        let ended = try await #require(throws: RunFailure.self) {
            try await run(store, RuledSender(rule: Self.answering))
        }
        #expect(ended.cause == failure && store.batches.count == 3 && observer.outages.isEmpty)
    }

    @Test("A refused stream is sent again up to three times, and counts as one row sent")
    func refusedStreams() async throws {
        let store = MemoryStore(try rows(0..<30))
        let sender = RuledSender { receipt, app, times in
            switch Samples.number(receipt.bytes) {
            case 0: .refusedStream
            case 1..<10: times < 3 ? .refusedStream : Self.answering(receipt, app, times)
            default: Self.answering(receipt, app, times)
            }
        }
        let result = try await run(store, sender)
        #expect(sender.sent.count == 4 + 9 * 3 + 20)
        #expect(result.summary.sent == 30)
        #expect(result.summary.replaced == 29 && result.summary.failed == 1)
        #expect(try store.row(0).schedule.attempts == 0)
    }

    @Test("Asked to stop, a run claims and sends nothing more, stores what it has, and leaves the rest due")
    func stopRequested() async throws {
        let store = MemoryStore(try rows(0..<1_000))
        let sender = RuledSender(rule: Self.answering)
        let result = try await run(store, sender, stopRequested: { sender.sent.count >= 100 })
        #expect((100..<200).contains(sender.sent.count))
        #expect(result.summary.replaced == sender.sent.count)
        #expect(store.stored.count == sender.sent.count)
        #expect(!result.isComplete && result.unsaved == 0)
        #expect(store.finished == result.summary)
    }

    @Test("A run ends at its longest duration, at its pace until then")
    func maxDuration() async throws {
        let store = MemoryStore(try rows(0..<1_000))
        let sender = RuledSender(rule: Self.answering)
        let result = try await run(
            store, sender,
            options: options {
                $0.maxDuration = .seconds(10)
                $0.paces = [.production: Pace(requestsPerSecond: 20, inFlight: 30)]
            })
        #expect((100...204).contains(sender.sent.count), "\(sender.sent.count) sent")
        #expect(result.summary.replaced == sender.sent.count && !result.isComplete)
    }

    @Test("After 429 nothing leaves until the pause is over, and a request to stop is heard in it")
    func pausedRunStops() async throws {
        let store = MemoryStore(try rows(0..<100))
        let sender = RuledSender { _, _, _ in .tooManyRequests(.delay(seconds: 3_600)) }
        let timer = timer
        let result = try await run(store, sender, stopRequested: { timer.now() >= .minutes(5) })
        #expect(sender.sent.count == 1)
        #expect(timer.now() < .minutes(6))
        #expect(result.summary.failed == 1 && !result.isComplete)
    }
}
