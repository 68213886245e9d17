import Refresh
import Synchronization
import Testing

@Suite("Waiting for a database that is away")
final class StorePatienceTests {
    private let timer = SteppingTimer()
    private let observer = RecordingObserver()
    private let tries = Mutex<[Duration]>([])

    private func patience(
        maxDuration: Duration? = nil, stopRequested: @escaping @Sendable () -> Bool = { false }
    ) -> StorePatience {
        var options = RefreshOptions(teams: [:])
        options.maxDuration = maxDuration
        return StorePatience(options, timer: timer, observer: observer, stopRequested: stopRequested)
    }

    /// Fails until it is `end`, and notes when it was tried.
    private func work(awayUntil end: Duration, with failure: StoreFailure = MemoryStore.away) throws(StoreFailure) {
        tries.withLock { $0.append(timer.now()) }
        if timer.now() < end { throw failure }
    }

    private func seconds(_ counts: Int...) -> [Duration] { counts.map { .seconds($0) } }

    @Test("It is tried again after 1, 2, 4, 8 and then every 15 s, for a minute, and told of once")
    func givesUp() async throws {
        let failure = await #expect(throws: StoreFailure.self) {
            try await patience().retrying { () throws(StoreFailure) in try work(awayUntil: .hours(1)) }
        }
        #expect(failure == MemoryStore.away)
        #expect(tries.withLock { $0 } == seconds(0, 1, 3, 7, 15, 30, 45, 60))
        #expect(observer.outages == [.seconds(60)] && observer.recoveries == 0)
    }

    @Test("One that comes back is told of once; the next outage has its whole patience again")
    func comesBack() async throws {
        let patience = patience()
        for _ in 1...2 {
            let end = timer.now() + .seconds(50)
            try await patience.retrying { () throws(StoreFailure) in try work(awayUntil: end) }
        }
        #expect(tries.withLock { $0 } == seconds(0, 1, 3, 7, 15, 30, 45, 60, 60, 61, 63, 67, 75, 90, 105, 120))
        #expect(observer.outages == seconds(60, 60) && observer.recoveries == 2)
    }

    @Test("The run's longest duration ends the waiting, and what comes after it is tried twice, without a wait")
    func withinTheRun() async throws {
        let patience = patience(maxDuration: .seconds(5))
        for _ in 1...2 {
            await #expect(throws: StoreFailure.self) {
                try await patience.retrying { () throws(StoreFailure) in try work(awayUntil: .hours(1)) }
            }
        }
        #expect(tries.withLock { $0 } == seconds(0, 1, 3, 5, 5, 5))
        #expect(observer.outages == [.seconds(5)] && observer.recoveries == 0)
    }

    @Test("A request to stop leaves one last try")
    func stops() async throws {
        let timer = timer
        await #expect(throws: StoreFailure.self) {
            try await patience(stopRequested: { timer.now() >= .seconds(3) }).retrying { () throws(StoreFailure) in
                try work(awayUntil: .hours(1))
            }
        }
        #expect(tries.withLock { $0 } == seconds(0, 1, 3))
    }

    @Test("A connection that was dropped costs nothing once the run is stopping: it is made anew at once")
    func droppedWhileStopping() async throws {
        try await patience(stopRequested: { true }).retrying { () throws(StoreFailure) in
            let isFirst = tries.withLock { tries in
                tries.append(.zero)
                return tries.count == 1
            }
            if isFirst { throw MemoryStore.away }
        }
        #expect(tries.withLock { $0.count } == 2 && timer.now() == .zero)
        #expect(observer.outages.isEmpty && observer.recoveries == 0)
    }

    @Test("What fails for good, or turns out to, is not tried again")
    func forGood() async throws {
        let denied = StoreFailure.statementFailed(query: "q", sqlState: "42501", message: "denied")
        let old = StoreFailure.schemaMismatch(expected: 2, found: 1)
        for failure in [denied, old] {
            let found = await #expect(throws: StoreFailure.self) {
                try await patience().retrying { () throws(StoreFailure) in
                    try work(awayUntil: .hours(1), with: failure)
                }
            }
            #expect(found == failure)
        }
        #expect(tries.withLock { $0.count } == 2 && observer.outages.isEmpty)
        let found = await #expect(throws: StoreFailure.self) {
            try await patience().retrying { () throws(StoreFailure) in
                try work(awayUntil: .hours(1), with: timer.now() < .seconds(3) ? MemoryStore.away : denied)
            }
        }
        #expect(found == denied)
        #expect(tries.withLock { $0 } == seconds(0, 0, 0, 1, 3) && observer.recoveries == 0)
    }

    @Test("Two that wait for it at once are one outage")
    func twoAtOnce() async throws {
        let patience = patience()
        try await patience.retrying { () async throws(StoreFailure) in
            // The other begins and ends while this one waits.
            if timer.now() < .seconds(1) { throw MemoryStore.away }
            if timer.now() < .seconds(2) {
                try await patience.retrying { () throws(StoreFailure) in try work(awayUntil: .seconds(20)) }
                throw MemoryStore.away
            }
        }
        #expect(observer.outages == [.seconds(60)] && observer.recoveries == 1)
    }
}
