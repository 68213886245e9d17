import Foundation
import TestSupport
import Testing

@Suite("A database that is stopped and started again", .serialized, .ownThreads)
struct RestartTests {
    private static let restarts = 5
    private static let keys = 1_500
    private static let waiting = "; trying again for up to 60 s\n"

    @Test("several times in the middle of a run, behind a pooler: every key is sent once, and nothing is lost")
    func restarts() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("RestartTests: seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let cluster = try TestCluster()
        let pooler = try Pooler(before: try await cluster.migrated(), poolSize: 2)
        let fleet = try await Fleet(try cluster.database(), keys: Self.keys)
        let machine = try Machine("machine", fleet.simulator, pooler.lead(to: fleet.database), lease: "10s")
        let follower = try LedgerFollower(fleet.simulator)
        let worker = try machine.start("refresh", "--json")
        for restart in 0..<Self.restarts {
            _ = try await follower.lines(random.pick(1..<(Self.keys / Self.restarts)), whileRunning: worker)
            cluster.stop()
            // The pooler may hide a short stop: the first one lasts until it shows.
            while restart == 0, worker.isRunning, try !worker.errors.contains(Self.waiting) {
                _ = try await follower.lines()
            }
            try cluster.start()
        }
        let ending = try await worker.ending()
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(ending.errors.contains(Self.waiting))
        try fleet.expectSent(1)
        // The sessions of before are gone.
        let after = try Fleet(fleet, in: cluster.database())
        try await after.expectNothingLost(machine)
    }

    /// When a worker is killed whose database has been stopped.
    private enum Moment: CaseIterable {
        /// At once, what it has sent being on its way.
        case lost
        /// When it has had no database for a while.
        case away
        /// As soon as the database lets people in.
        case coming
        /// When it goes on sending.
        case back
    }

    @Test("with workers killed while it is away and while it comes back: nothing is lost, nothing sent in vain")
    func killed() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("RestartTests: seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let cluster = try TestCluster()
        let pooler = try Pooler(before: try await cluster.migrated(), poolSize: 2)
        let fleet = try await Fleet(
            try cluster.database(), keys: Self.keys, scenario: #"{"faults": [{"delay_ms": 10}]}"#)
        let machine = try Machine(
            "machine", fleet.simulator, pooler.lead(to: fleet.database), inFlight: 20, lease: "2s")
        let moments = (Moment.allCases + Moment.allCases).shuffled(using: &random)
        var kills = 0
        for moment in moments {
            let follower = try LedgerFollower(fleet.simulator)
            let worker = try machine.start("refresh", "--json")
            _ = try await follower.lines(random.pick(1..<80), whileRunning: worker)
            cluster.stop()
            if moment == .away { for _ in 0..<random.pick(1..<8) { _ = try await follower.lines() } }
            if moment == .lost || moment == .away { worker.send(SIGKILL) }
            try cluster.start()
            if moment == .back {
                _ = try await follower.lines()
                _ = try await follower.lines(random.pick(1..<80), whileRunning: worker)
            }
            worker.send(SIGKILL)
            let ending = try await worker.ending()
            // Where the machine is busy, a worker may be done before it is killed.
            if ending.code == nil { kills += 1 } else { #expect(ending.code == 0, "\(moment): \(ending.errors)") }
        }
        #expect(kills > 0)
        let after = try Fleet(fleet, in: cluster.database())
        let last = try await machine.start("refresh", "--json").ending()
        #expect(last.code == 0, "\(last.errors)")
        try await after.expectNothingLost(machine)
        let lines = try fleet.simulator.ledger()
        let again = lines.count - Set(lines.map(\.sentDigest)).count
        print("RestartTests: \(kills) kills, \(again) requests repeated")
        // On the wire, or back from there in the moment that the journal takes.
        #expect(again <= moments.count * 2 * 20)
    }
}
