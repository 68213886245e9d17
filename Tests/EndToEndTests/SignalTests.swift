import Foundation
import TestSupport
import Testing

@Suite("Workers that are asked to end", .serialized, .ownThreads)
struct SignalTests {
    @Test(
        "what is on the wire comes back and is stored, 0, and the leases are free for the next run",
        arguments: [SIGTERM, SIGINT])
    func asked(_ signal: Int32) async throws {
        try await TestDatabase.migrated { database in
            let fleet = try await Fleet(database, keys: 600, scenario: #"{"faults": [{"delay_ms": 30}]}"#)
            let machine = try Machine("machine", fleet.simulator, database, requestsPerSecond: 50)
            let follower = try LedgerFollower(fleet.simulator)
            let worker = try machine.start("refresh", "--json")
            let lines = try await follower.lines(60, whileRunning: worker)
            worker.send(signal)
            let ending = try await worker.ending()
            #expect(ending.code == 0, "\(ending.errors)")
            let sent = try await lines.count + follower.lines().count
            #expect(sent < 600)
            #expect(try ending.count("sent") == sent && ending.count("replaced") == sent)
            // No lease is held any more, however long it would have lasted.
            #expect(try await fleet.heldShards() == 0)
            let next = try await machine.start("refresh", "--json").ending()
            #expect(next.code == 0, "\(next.errors)")
            #expect(try next.count("replayed") == 0)
            try fleet.expectSent(1)
            try await fleet.expectNothingLost(machine)
        }
    }

    @Test("answers that take longer than --grace are given up: 0, a warning, rows as they were, and nothing lost")
    func grace() async throws {
        let scenario = #"{"faults": [{"match": {"first_request": 101, "last_request": 120}, "delay_ms": 25000}]}"#
        try await TestDatabase.migrated { database in
            let fleet = try await Fleet(database, keys: 300, scenario: scenario)
            let machine = try Machine("machine", fleet.simulator, database, inFlight: 20)
            let before = try await fleet.rows("attestwatch.schedule")
            let follower = try LedgerFollower(fleet.simulator)
            let worker = try machine.start("refresh", "--json", "--grace", "1s")
            _ = try await follower.lines(120, whileRunning: worker)
            worker.send(SIGINT)
            let ending = try await worker.ending()
            #expect(ending.code == 0, "\(ending.errors)")
            #expect(
                ending.errors.contains(
                    "attestwatch: warning: 20 requests were not answered in the time that --grace gives; "
                        + "their receipts are still due\n"), "\(ending.errors)")
            #expect(try ending.count("sent") == 120 && ending.count("replaced") == 100, "\(ending.output)")
            // Of the rows, only those of the answers have changed.
            let after = Set(try await fleet.rows("attestwatch.schedule"))
            #expect(before.count == 300 && before.count { after.contains($0) } == 200)
            #expect(try await fleet.dueCount() == 200)
            #expect(try await fleet.heldShards() == 0)
            let next = try await machine.start("refresh", "--json").ending()
            #expect(next.code == 0, "\(next.errors)")
            #expect(try next.count("replayed") == 0 && next.count("sent") == 200)
            try await fleet.expectNothingLost(machine)
        }
    }

    @Test("a second SIGTERM ends it at once, with answers still out; the next run loses nothing")
    func twice() async throws {
        // From the 101st on, answers take longer than the test.
        let scenario = #"{"faults": [{"match": {"first_request": 101, "last_request": 120}, "delay_ms": 25000}]}"#
        try await TestDatabase.migrated { database in
            let fleet = try await Fleet(database, keys: 600, scenario: scenario)
            let machine = try Machine("machine", fleet.simulator, database, inFlight: 20, lease: "2s")
            let follower = try LedgerFollower(fleet.simulator)
            let worker = try machine.start("refresh", "--json")
            _ = try await follower.lines(120, whileRunning: worker)
            #expect(try worker.sendAndSee(SIGTERM))
            worker.send(SIGTERM)
            let ending = try await worker.ending()
            #expect(ending.code == nil && ending.output == "", "\(ending.errors)")
            let next = try await machine.start("refresh", "--json").ending()
            #expect(next.code == 0, "\(next.errors)")
            try await fleet.expectNothingLost(machine)
            // Only what was on the wire was asked for again.
            #expect(try fleet.simulator.ledger().count <= 600 + 20)
        }
    }
}
