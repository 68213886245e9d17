import Foundation
import Refresh
import SimulatedDataServer
import System
import TestSupport
import Testing

@Suite("Workers that are killed", .serialized, .ownThreads)
struct KillTests {
    private static let keys = 2_000
    private static let inFlight = 20

    /// When a worker is killed.
    private enum Moment {
        /// Soon after the ledger shows replies, which the database cannot have yet.
        case soon
        /// Anywhere in what is left to do.
        case anywhere
        /// When the last request has been seen.
        case lastRequest
        /// When the last answer is stored.
        case lastCommit
        /// When its leases have been given back.
        case released
        /// When it has taken up a journal that an earlier one has left, before that is done with.
        case replay
    }

    private static let moments =
        [Moment](repeating: .soon, count: 25) + [Moment](repeating: .anywhere, count: 14)
        + [.lastRequest, .lastRequest, .lastCommit, .lastCommit, .released, .released]
        + [Moment](repeating: .replay, count: 5)

    /// What was seen around the kills.
    private struct Tally {
        /// Kills that met a worker.
        var kills = 0
        /// Workers that had ended before they were killed.
        var missed = 0
        /// Kills that left answers in a journal which the database did not have.
        var betweenReplyAndCommit = 0
        /// SHA-256 of receipts whose answers were in a journal at a kill, and the last request by then.
        var journaled: [String: Int] = [:]
        /// How many answers that are not stored were left in journals by the last kill.
        var left = 0
        /// The last request seen.
        var lastRequest = 0
        /// How often every key has come due since the first time.
        var rounds: Int64 = 0
    }

    @Test("killed at 50 moments between start and exit, through a pooler with two sessions: nothing is lost")
    func killed() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("KillTests: seed \(seed)")
        var random = SeededGenerator(seed: seed)
        try await TestDatabase.migrated { database in
            let pooler = try Pooler(before: database, poolSize: 2)
            let fleet = try await Fleet(database, keys: Self.keys, scenario: #"{"faults": [{"delay_ms": 10}]}"#)
            let machine = try Machine(
                "machine", fleet.simulator, pooler.lead(to: database), requestsPerSecond: 1_000,
                inFlight: Self.inFlight, lease: "2s")
            var tally = Tally()
            for moment in Self.moments.shuffled(using: &random) {
                try await kill(fleet, machine, moment, &tally, &random)
            }
            print(
                "KillTests: \(tally.kills) kills, \(tally.betweenReplyAndCommit) between reply and commit;",
                "\(tally.missed) workers had ended; \(tally.rounds + 1) rounds")
            #expect(tally.betweenReplyAndCommit >= 10)
            let last = try await machine.start("refresh", "--json").ending()
            #expect(last.code == 0, "\(last.errors)")
            try await fleet.expectNothingLost(machine)
            try expectNoneAskedAgain(fleet, tally)
        }
    }

    /// Kills workers until one was met at the moment.
    private func kill(
        _ fleet: Fleet, _ machine: Machine, _ moment: Moment, _ tally: inout Tally, _ random: inout SeededGenerator
    ) async throws {
        while true {
            let due = try await fleet.dueCount()
            if due == 0 {
                tally.rounds += 1
                try await fleet.comeDueAgain(tally.rounds)
                continue
            }
            let journals = try journals(machine)
            if moment == .replay && tally.left == 0 {
                // Nothing to replay yet.
                try await kill(fleet, machine, .soon, &tally, &random)
                continue
            }
            let follower = try LedgerFollower(fleet.simulator)
            let worker = try machine.start("refresh", "--json")
            var lines: [LedgerLine] = []
            switch moment {
            case .replay: takeUp(journals, worker, &random)
            case .soon: lines = try await follower.lines(random.pick(1..<40), whileRunning: worker)
            case .anywhere:
                lines = try await follower.lines(1 + random.pick(0..<max(1, due - tally.left)), whileRunning: worker)
            case .lastRequest, .lastCommit, .released:
                lines = try await follower.lines(due - tally.left, whileRunning: worker)
                while moment == .lastCommit, worker.isRunning, try await fleet.dueCount() > 0 {}
                while moment == .released, worker.isRunning, try await fleet.heldShards() > 0 {}
            }
            worker.send(SIGKILL)
            let ending = try await worker.ending()
            lines += try await follower.lines()
            if let code = ending.code { try #require(code == 0, "\(moment): \(ending.errors)") }
            try await note(fleet, machine, lines, &tally)
            guard ending.code == nil else {
                tally.missed += 1
                continue
            }
            tally.kills += 1
            if moment == .replay {
                if try journals.isDisjoint(with: self.journals(machine)) { continue }
            } else if tally.left > 0 {
                tally.betweenReplyAndCommit += 1
            }
            return
        }
    }

    /// Waits until a worker has one of these journals open, and so many looks more.
    private func takeUp(_ journals: Set<String>, _ worker: Worker, _ random: inout SeededGenerator) {
        while worker.isRunning, !worker.hasOpen(journals) {}
        for _ in 0..<random.pick(0..<200) where worker.isRunning { _ = worker.hasOpen(journals) }
    }

    /// Takes down what a worker has left.
    private func note(
        _ fleet: Fleet, _ machine: Machine, _ lines: [LedgerLine], _ tally: inout Tally
    ) async throws {
        tally.lastRequest = lines.last?.number ?? tally.lastRequest
        let journaled = try await journaled(machine)
        for digest in journaled where tally.journaled[digest] == nil { tally.journaled[digest] = tally.lastRequest }
        // What was sent for an answer is stored until the answer is.
        tally.left = try await fleet.storedCount(journaled)
    }

    /// The journals of a machine, by their paths.
    private func journals(_ machine: Machine) throws -> Set<String> {
        guard FileManager.default.fileExists(atPath: machine.stateFolder) else { return [] }
        let names = try FileManager.default.contentsOfDirectory(atPath: machine.stateFolder)
        return Set(names.filter { $0.hasSuffix(".journal") }.map { "\(machine.stateFolder)/\($0)" })
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
        let repeated = lines.count - Set(lines.map(\.sentDigest)).count
        print("KillTests: \(lines.count) requests, \(repeated) of them repeated")
        // On the wire, or back from there in the moment that the journal takes.
        #expect(repeated <= tally.kills * 2 * Self.inFlight)
    }
}
