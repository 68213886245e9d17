import Foundation
import TestSupport
import Testing

@Suite("A state folder that fills up", .serialized)
struct FullDiskTests {
    @Test("under workers that are killed, and leave journals in it: nothing is lost, and with room again all is done")
    func full() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("FullDiskTests: seed \(seed)")
        var random = SeededGenerator(seed: seed)
        try await TestDatabase.migrated { database in
            let fleet = try await Fleet(database, keys: 1_500, scenario: #"{"faults": [{"delay_ms": 10}]}"#)
            let machine = try Machine("machine", fleet.simulator, database, inFlight: 20, lease: "2s")
            let folder = try LimitedFolder(machine.stateFolder, octets: 131_072)
            var full = 0
            for _ in 0..<10 {
                let follower = try LedgerFollower(fleet.simulator)
                let worker = try machine.start("refresh", "--json", under: folder.words)
                _ = try await follower.lines(random.pick(1..<150), whileRunning: worker)
                worker.send(SIGKILL)
                let ending = try await worker.ending()
                if ending.code == 73 { full += 1 }
                #expect([nil, 0, 73].contains(ending.code), "\(ending.errors)")
            }
            print("FullDiskTests: 10 workers, \(full) of them met a full folder")
            #expect(full > 0)
            // With room again, the last one runs to the end.
            try folder.makeRoom()
            let last = try await machine.start("refresh", "--json").ending()
            #expect(last.code == 0, "\(last.errors)")
            try await fleet.expectNothingLost(machine)
        }
    }
}
