import AppAttest
import Refresh
import Synchronization
import TestSupport
import Testing

@Suite("A run takes in what back ends have handed over")
struct IntakeRoundTests {
    /// Receipts that wait, by queue: their numbers. Each batch takes a while.
    private final class ScriptedIntake: IntakeTaking {
        struct State {
            var waiting: [IntakeQueue: [Int64]] = [:]
            var batches: [IntakeQueue] = []
            var time = Duration.zero
            var failures = 0
        }

        let state: Mutex<State>
        let batchSize: Int

        init(_ waiting: [IntakeQueue: [Int64]], batchSize: Int = 2) {
            self.state = Mutex(State(waiting: waiting))
            self.batchSize = batchSize
        }

        var batches: [IntakeQueue] { state.withLock { $0.batches } }
        var left: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

        func newest() async throws(StoreFailure) -> Int64 {
            state.withLock { $0.waiting.values.joined().max() ?? 0 }
        }

        func takeIn(
            _ queue: IntakeQueue, after: Int64, through: Int64, now: Instant
        ) async throws(StoreFailure) -> IntakeStep {
            let isAway = state.withLock { state in
                defer { state.failures -= 1 }
                return state.failures > 0
            }
            if isAway { throw MemoryStore.away }
            return state.withLock { state in
                let found = (state.waiting[queue] ?? []).filter { $0 > after && $0 <= through }.prefix(batchSize)
                var step = IntakeStep()
                guard !found.isEmpty else { return step }
                state.batches.append(queue)
                state.time += .seconds(1)
                state.waiting[queue]?.removeAll { found.contains($0) }
                // Another is handed over while this one is taken in.
                state.waiting[queue]?.append(through + Int64(state.batches.count))
                step.last = found.last
                step.takenIn = found.count - 1
                step.rejected = 1
                step.deviceRefsIgnored = 1
                step.flagChanges = [.opened(.high)]
                return step
            }
        }

        func waiting(now: Instant) async throws(StoreFailure) -> [WaitingIntake] {
            state.withLock { state in
                state.waiting.filter { !$0.value.isEmpty }.map { queue, numbers in
                    WaitingIntake(
                        app: queue.app, environment: nil, isConfigured: true, count: numbers.count, late: 0,
                        oldest: now)
                }
            }
        }
    }

    /// The time that the intake takes.
    private struct IntakeTimer: PaceTimer {
        let intake: ScriptedIntake
        func now() -> Duration { intake.state.withLock { $0.time } }
        func sleep(until time: Duration) async {
            intake.state.withLock { $0.time = max($0.time, time) }
            await Task.yield()
        }
    }

    private let team = TeamID(Samples.team)!

    private func run(
        _ intake: ScriptedIntake, store: MemoryStore = MemoryStore([]), stoppingAfter batches: Int = .max,
        _ change: (inout RefreshOptions) -> Void = { _ in }
    ) async throws -> RunResult {
        var options = RefreshOptions(teams: [
            try Samples.app(): team, try Samples.app(ofTeam: Samples.otherTeam): TeamID(Samples.otherTeam)!,
        ])
        change(&options)
        return try await RefreshRun(
            options: options, sender: RuledSender { _, _, _ in .noData }, verifier: BelievingVerifier(), store: store,
            intake: intake, clock: StandingClock(time: Samples.noon), timer: IntakeTimer(intake: intake),
            observer: RecordingObserver(), random: SeededGenerator(seed: 8),
            stopRequested: { intake.batches.count >= batches }
        ).run()
    }

    private func queue(_ team: String = Samples.team, backFill: Bool = false) throws -> IntakeQueue {
        IntakeQueue(app: try Samples.app(ofTeam: team), isBackFill: backFill)
    }

    @Test("what came one by one goes before what came in bulk, the apps in turn")
    func order() async throws {
        let (first, second) = (try queue(), try queue(Samples.otherTeam))
        let bulk = try queue(backFill: true)
        let intake = ScriptedIntake([bulk: [1, 2], first: [3, 5, 7], second: [4, 6, 8]])
        let store = MemoryStore([])
        let result = try await run(intake, store: store)
        // Three seconds before the sending, the rest after it; there what came in the meantime waits too.
        #expect(intake.batches.prefix(3).map { $0.isBackFill } == [false, false, false])
        #expect(Set(intake.batches.prefix(2)) == [first, second])
        #expect(intake.batches.contains(bulk))
        let batches = intake.batches.count
        #expect(result.summary.rejected == batches && result.summary.flagsOpened == batches)
        #expect(result.deviceRefsIgnored == batches)
        #expect(result.summary.takenIn + result.summary.rejected == 8 + batches - intake.left)
        #expect(result.summary.pending == intake.left && intake.left > 0)
        #expect(result.waiting?.reduce(0) { $0 + $1.count } == intake.left)
        #expect(store.finished == result.summary)
    }

    @Test("a back-fill without end takes three seconds before the sending, and the run's time after it")
    func bounds() async throws {
        let bulk = try queue(backFill: true)
        let intake = ScriptedIntake([bulk: Array(1...10_000)])
        let result = try await run(intake) { $0.maxDuration = .seconds(8) }
        #expect(intake.batches.count <= 8 && intake.batches.count >= 4)
        #expect(result.summary.takenIn + result.summary.rejected == 2 * intake.batches.count)
    }

    @Test("a request to stop is heeded between two batches, and leaves the rest waiting")
    func stop() async throws {
        let bulk = try queue(backFill: true)
        let intake = ScriptedIntake([bulk: Array(1...100)])
        _ = try await run(intake, stoppingAfter: 2)
        #expect(intake.batches.count == 2)
    }

    @Test("--app takes in that app's alone and counts it alone; --dry-run only counts")
    func narrowed() async throws {
        let (first, second) = (try queue(), try queue(Samples.otherTeam))
        let intake = ScriptedIntake([first: [1], second: [2, 3, 4]])
        let dry = try await run(intake) { options in
            options.dryRun = true
            options.app = second.app
        }
        #expect(intake.batches.isEmpty && dry.summary.pending == 3)
        let result = try await run(intake) { $0.app = first.app }
        #expect(Set(intake.batches) == [first] && result.waiting?.count == 2)
    }

    @Test("a store that is away for a moment is waited for")
    func away() async throws {
        let intake = ScriptedIntake([try queue(): [1, 2]])
        intake.state.withLock { $0.failures = 1 }
        let result = try await run(intake)
        #expect(result.summary.takenIn >= 1)
    }
}
