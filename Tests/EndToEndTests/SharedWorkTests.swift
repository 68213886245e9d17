import Foundation
import TestSupport
import Testing

@Suite("Workers that share the work", .serialized)
struct SharedWorkTests {
    @Test("four at 250 a second over 20,000 keys: each key is sent once, and all end with 0")
    func four() async throws {
        try await TestDatabase.migrated { database in
            let fleet = try await Fleet(database, keys: 20_000)
            let machines = try (1...4).map {
                try Machine("machine-\($0)", fleet.simulator, database, requestsPerSecond: 250)
            }
            let workers = try machines.map { try $0.start("refresh", "--json") }
            var sent: [Int] = []
            for worker in workers {
                let ending = try await worker.ending()
                #expect(ending.code == 0, "\(ending.errors)")
                sent.append(try ending.count("sent") ?? 0)
            }
            print("SharedWorkTests: four workers sent \(sent)")
            #expect(sent.reduce(0, +) == 20_000)
            #expect(sent.allSatisfy { $0 > 2_000 })
            try fleet.expectSent(1)
            try await fleet.expectNothingLost(machines[0])
        }
    }

    @Test("a second run shares the work of one that is going on, through a pooler with two sessions; a third has none")
    func second() async throws {
        try await TestDatabase.migrated { database in
            let pooler = try Pooler(before: database, poolSize: 2)
            let fleet = try await Fleet(database, keys: 1_500)
            let machines = try (1...2).map {
                try Machine("machine-\($0)", fleet.simulator, pooler.lead(to: database), requestsPerSecond: 100)
            }
            let follower = try LedgerFollower(fleet.simulator)
            let first = try machines[0].start("refresh", "--json")
            _ = try await follower.lines(50, whileRunning: first)
            let second = try machines[1].start("refresh", "--json")
            for worker in [first, second] {
                let ending = try await worker.ending()
                #expect(ending.code == 0, "\(ending.errors)")
                #expect(try (ending.count("sent") ?? 0) > 200, "\(ending.output)")
            }
            try fleet.expectSent(1)
            // A third finds nothing to do.
            try await fleet.expectNothingLost(machines[1])
            #expect(try await fleet.heldShards() == 0)
        }
    }

    @Test("one that was stopped beyond its lease, while another did its work, reschedules nothing and loses nothing")
    func paused() async throws {
        try await TestDatabase.migrated { database in
            let fleet = try await Fleet(database, keys: 1_200, scenario: #"{"faults": [{"delay_ms": 50}]}"#)
            let machines = try (1...2).map {
                try Machine("machine-\($0)", fleet.simulator, database, requestsPerSecond: 400, lease: "2s")
            }
            let follower = try LedgerFollower(fleet.simulator)
            let paused = try machines[0].start("refresh", "--json")
            _ = try await follower.lines(300, whileRunning: paused)
            paused.send(SIGSTOP)
            #expect(paused.isRunning)
            let other = try await machines[1].start("refresh", "--json").ending()
            #expect(other.code == 0, "\(other.errors)")
            #expect(try (other.count("sent") ?? 0) > 500, "\(other.output)")
            let tables = ["attestwatch.schedule", "attestwatch.receipt"]
            var before: [[String]] = []
            for table in tables { before.append(try await fleet.rows(table)) }
            let answered = try fleet.simulator.ledger().count
            paused.send(SIGCONT)
            let ending = try await paused.ending()
            #expect(ending.code == 0, "\(ending.errors)")
            // What it was in the middle of sending is answered after the other's, so that receipt is the later one.
            let late = Set(try fleet.simulator.ledger().dropFirst(answered).compactMap(\.keyID)).compactMap { key in
                Data(base64Encoded: key)?.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
            }
            #expect(late.count <= 50)
            for (table, rows) in zip(tables, before) {
                let changed = Set(try await fleet.rows(table)).symmetricDifference(rows)
                #expect(changed.allSatisfy { row in late.contains { row.contains($0) } }, "\(table)")
            }
            try await fleet.expectNothingLost(machines[0])
        }
    }
}
