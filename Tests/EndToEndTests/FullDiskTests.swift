import Foundation
import TestSupport
import Testing

@Suite("A state folder that fills up", .serialized)
struct FullDiskTests {
    /// Lets a folder take so many octets: a file system of its own where this process may mount one; else a limit on
    /// the size of files, given as the command that sets it.
    private func fill(_ folder: String, octets: Int) throws -> (isMounted: Bool, words: [String]) {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let mounted = try runTool("mount", ["-t", "tmpfs", "-o", "size=\(octets),mode=0700", "tmpfs", folder])
        return mounted.status == 0 ? (true, []) : (false, ["prlimit", "--fsize=\(octets)"])
    }

    @Test("under workers that are killed, and leave journals in it: nothing is lost, and with room again all is done")
    func full() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("FullDiskTests: seed \(seed)")
        var random = SeededGenerator(seed: seed)
        try await TestDatabase.migrated { database in
            let fleet = try await Fleet(database, keys: 1_500, scenario: #"{"faults": [{"delay_ms": 10}]}"#)
            let machine = try Machine("machine", fleet.simulator, database, inFlight: 20, lease: "2s")
            let (isMounted, words) = try fill(machine.stateFolder, octets: 131_072)
            defer { if isMounted { _ = try? runTool("umount", ["-l", machine.stateFolder]) } }
            var full = 0
            for _ in 0..<10 {
                let follower = try LedgerFollower(fleet.simulator)
                let worker = try machine.start("refresh", "--json", under: words)
                _ = try await follower.lines(random.pick(1..<150), whileRunning: worker)
                worker.send(SIGKILL)
                let ending = try await worker.ending()
                if ending.code == 73 { full += 1 }
                #expect([nil, 0, 73].contains(ending.code), "\(ending.errors)")
            }
            print("FullDiskTests: 10 workers, \(full) of them met a full folder")
            #expect(full > 0)
            // With room again, the last one runs to the end.
            if isMounted {
                let room = ["-o", "remount,size=64m", machine.stateFolder]
                #expect(try runTool("mount", room).status == 0)
            }
            let last = try await machine.start("refresh", "--json").ending()
            #expect(last.code == 0, "\(last.errors)")
            try await fleet.expectNothingLost(machine)
        }
    }
}
