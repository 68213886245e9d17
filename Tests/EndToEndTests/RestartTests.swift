import Foundation
import TestSupport
import Testing

@Suite("A database that is stopped and started again", .serialized)
struct RestartTests {
    private static let restarts = 5
    private static let keys = 1_500

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
        for _ in 0..<Self.restarts {
            _ = try await follower.lines(random.pick(1..<(Self.keys / Self.restarts)), whileRunning: worker)
            cluster.stop()
            try cluster.start()
        }
        let ending = try await worker.ending()
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(ending.errors.contains("; trying again for up to 60 s\n"))
        try fleet.expectSent(1)
        // The sessions of before are gone.
        let after = try Fleet(fleet, in: cluster.database())
        try await after.expectNothingLost(machine)
    }
}
