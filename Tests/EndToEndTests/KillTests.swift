import Foundation
import Refresh
import SimulatedDataServer
import System
import TestSupport
import Testing

@Suite("Workers that are killed", .serialized)
struct KillTests {
    private static let kills = 50
    private static let aimed = 25
    private static let inFlight = 20

    /// What was seen around the kills.
    private struct Tally {
        /// Kills that left answers in a journal which the database did not have.
        var betweenReplyAndCommit = 0
        /// SHA-256 of receipts whose answers were in a journal at a kill, and the last request by then.
        var journaled: [String: Int] = [:]
        /// The last request seen.
        var lastRequest = 0
        /// How often every key has come due since the first time.
        var rounds: Int64 = 0
    }

    @Test("killed at 50 moments between first send and exit, through a pooler with two sessions: nothing is lost")
    func killed() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("KillTests: seed \(seed)")
        var random = SeededGenerator(seed: seed)
        try await TestDatabase.migrated { database in
            let pooler = try Pooler(before: database, poolSize: 2)
            let fleet = try await Fleet(database, keys: 3_000, scenario: #"{"faults": [{"delay_ms": 10}]}"#)
            let machine = try Machine(
                "machine", fleet.simulator, pooler.lead(to: database), inFlight: Self.inFlight, lease: "2s")
            var tally = Tally()
            for number in 0..<Self.kills {
                try await kill(fleet, machine, isAimed: number < Self.aimed, &tally, &random)
            }
            print("KillTests: \(tally.betweenReplyAndCommit) of \(Self.kills) kills fell between reply and commit")
            #expect(tally.betweenReplyAndCommit >= 10)
            let last = try await machine.start("refresh", "--json").ending()
            #expect(last.code == 0, "\(last.errors)")
            try await fleet.expectNothingLost(machine)
            try expectNoneAskedAgain(fleet, tally)
        }
    }

    /// Starts a worker and kills it: soon after the ledger shows replies, which the database cannot have yet, or at any
    /// point of its work.
    private func kill(
        _ fleet: Fleet, _ machine: Machine, isAimed: Bool, _ tally: inout Tally, _ random: inout SeededGenerator
    ) async throws {
        while true {
            let follower = try LedgerFollower(fleet.simulator)
            let worker = try machine.start("refresh", "--json")
            let wanted = isAimed ? random.pick(1..<40) : random.pick(1..<200)
            var lines = try await follower.lines(wanted, whileRunning: worker)
            worker.send(SIGKILL)
            let ending = try await worker.ending()
            lines += try await follower.lines()
            tally.lastRequest = lines.last?.number ?? tally.lastRequest
            if let code = ending.code {
                // It was done before: the kill has met nobody.
                #expect(code == 0, "\(ending.errors)")
                tally.rounds += 1
                try fleet.comeDueAgain(tally.rounds)
                continue
            }
            let journaled = try await journaled(machine)
            for digest in journaled { tally.journaled[digest] = tally.lastRequest }
            // What was sent for an answer is stored until the answer is.
            if try await fleet.storedCount(journaled) > 0 { tally.betweenReplyAndCommit += 1 }
            return
        }
    }

    /// SHA-256 (hexadecimal) of the receipts that were sent for the answers in a machine's journals.
    private func journaled(_ machine: Machine) async throws -> [String] {
        let journal = try Journal(folder: machine.stateFolder, run: "onlooker")
        var digests: [String] = []
        while try await journal.takeLeft() != nil {
            while case let records = try await journal.readLeft(limit: 100), !records.isEmpty {
                let entries = records.compactMap { JournalEntry(octets: $0) }
                #expect(entries.count == records.count)
                digests += entries.map { entry in
                    entry.sentDigest.bytes.map { String(format: "%02x", $0) }.joined()
                }
            }
            await journal.leaveLeft()
        }
        await journal.close()
        return digests
    }

    /// What was in a journal has not been asked for again; what was on the wire has, and no more than that.
    private func expectNoneAskedAgain(_ fleet: Fleet, _ tally: Tally) throws {
        let lines = try fleet.simulator.ledger()
        #expect(!tally.journaled.isEmpty)
        let again = lines.filter { line in
            line.sentDigest.flatMap { tally.journaled[$0] }.map { line.number > $0 } ?? false
        }
        #expect(again.isEmpty, "\(again.count) of \(tally.journaled.count) journaled answers were asked for again")
        let different = Set(lines.map(\.sentDigest)).count
        print("KillTests: \(lines.count) requests for \(different) receipts")
        // On the wire, or back from there and not in the journal yet.
        #expect(lines.count <= different + Self.kills * 4 * Self.inFlight)
    }
}
