import Foundation
import SimulatedDataServer
import TestSupport
import Testing

@Suite("ingest that is asked to end, or killed", .serialized, .ownThreads)
struct IngestSignalTests {
    private static let keys = 4_000
    // Two batches may be on their way when it is killed: one is stored, and the note of it is not written yet.
    private static let batch = 250

    @Test("what it has stored is not read again: the same command does what is left", arguments: [SIGTERM, SIGKILL])
    func interrupted(_ signal: Int32) async throws {
        try await TestDatabase.migrated { database in
            let simulator = try Simulator(
                PopulationPlan(devices: Self.keys, appID: Machine.appID, environment: .production))
            let machine = try Machine("machine", simulator, database)
            func hasBookmark() -> Bool {
                let names = (try? FileManager.default.contentsOfDirectory(atPath: machine.stateFolder)) ?? []
                return names.contains { $0.hasPrefix("ingest-") && $0.hasSuffix(".json") }
            }
            let worker = try machine.start("ingest", simulator.intakeFile, "--json")
            while worker.isRunning, !hasBookmark() { sched_yield() }
            worker.send(signal)
            let ending = try await worker.ending()
            #expect(ending.code == (signal == SIGTERM ? 1 : nil), "\(ending.errors)")
            let stored = try await database.number("SELECT count(*) FROM attestwatch.receipt")
            #expect(stored >= Self.batch && stored < Self.keys)
            if signal == SIGTERM { #expect(try ending.count("lines") == stored) }

            let next = try await machine.start("ingest", simulator.intakeFile, "--json").ending()
            #expect(next.code == 0, "\(next.errors)")
            let before = try #require(try next.count("lines_before"))
            let (lines, unchanged) = (try #require(try next.count("lines")), try #require(try next.count("unchanged")))
            #expect(before >= Self.batch && before + lines == Self.keys)
            #expect(before + unchanged == stored && unchanged <= (signal == SIGTERM ? 0 : Self.batch))
            #expect(try next.count("taken_in") == Self.keys - stored)
            #expect(try await database.number("SELECT count(*) FROM attestwatch.receipt") == Self.keys)
            #expect(!hasBookmark())
        }
    }
}
