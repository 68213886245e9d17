import Foundation
import TestSupport
import Testing

@Suite("refresh replays journals")
struct JournalReplayTests {
    private let files = FileManager.default

    @Test("what a run received and could not store is stored by the next, and is not asked for again")
    func replay() async throws {
        try await TestDatabase.migrated { test in
            let journal = try await JournalStage(test)
            let (_, count) = try await journal.leaveJournal()
            let (result, summary) = try await journal.refresh()
            #expect(result.code == .success)
            #expect(summary["replayed"] == count && summary["sent"] == 40 - count)
            #expect(try journal.stage.ledger().count == 40)
            #expect(try journal.names.isEmpty)
            #expect(try await test.number("SELECT count(*) FROM attestwatch.metric_reading") == 40)
            let stored = "SELECT count(*) FROM attestwatch.schedule WHERE last_outcome = 'replaced' AND attempts = 0"
            #expect(try await test.number(stored) == 40)
        }
    }

    @Test(
        "events tell of replayed receipts; a second replay of the same journal changes no row and opens no flag again")
    func twice() async throws {
        try await TestDatabase.migrated { test in
            // Every other device is heavy, so some of those in the journal are.
            let journal = try await JournalStage(test, heavyShare: 0.5, after: .days(7))
            let (path, count) = try await journal.leaveJournal()
            let copy = "\(path).copy"
            try files.copyItem(atPath: path, toPath: copy)
            let first = try await journal.stage.attestwatch("refresh", "--events", "-")
            let events = try jsonLines(first.output)
            #expect(events.count == 40)
            #expect(events.allSatisfy { $0["outcome"] as? String == "replaced" && $0["due_time"] is String })
            let before = try await journal.rows()
            let open = "SELECT count(*) FROM attestwatch.flag WHERE closed_time IS NULL"
            let opened = "SELECT count(*) FROM attestwatch.flag_event WHERE kind = 'opened'"
            for query in [open, opened] { #expect(try await test.number(query) == 20) }

            try files.moveItem(atPath: copy, toPath: path)
            let (again, summary) = try await journal.refresh()
            #expect(again.code == .success)
            #expect(summary["replayed"] == count && summary["sent"] == 0 && summary["flags_opened"] == 0)
            #expect(try await journal.rows() == before)
            #expect(try journal.names.isEmpty)
        }
    }

    @Test("late readings are added, and open, raise, lower or clear no flag that newer ones have made")
    func lateReadings() async throws {
        try await TestDatabase.migrated { test in
            let journal = try await JournalStage(test, heavyShare: 0.1)
            let (path, count) = try await journal.leaveJournal()
            let elsewhere = "\(path).copy"
            try files.moveItem(atPath: path, toPath: elsewhere)
            try journal.stage.wait(.days(8))
            let (_, newer) = try await journal.refresh()
            #expect(newer["sent"] == 40 && newer["flags_opened"] == 4)
            let tables = ["attested_key", "receipt", "schedule", "flag", "flag_event"]
            let before = try await journal.rows(of: tables)
            let readings = try await test.number("SELECT count(*) FROM attestwatch.metric_reading")

            try files.moveItem(atPath: elsewhere, toPath: path)
            let (result, summary) = try await journal.refresh()
            #expect(result.code == .success)
            #expect(summary["replayed"] == count)
            #expect(try await journal.rows(of: tables) == before)
            #expect(try await test.number("SELECT count(*) FROM attestwatch.metric_reading") == readings + count)
        }
    }

    @Test("nothing is put back for a key that was erased")
    func erased() async throws {
        try await TestDatabase.migrated { test in
            let journal = try await JournalStage(test, devices: 10)
            let (_, count) = try await journal.leaveJournal()
            let answered = try #require(try journal.stage.ledger().compactMap(\.keyID).first)
            try await test.execute(
                "DELETE FROM attestwatch.attested_key WHERE key_id = decode('\(answered)', 'base64')")
            let (result, summary) = try await journal.refresh()
            #expect(result.code == .success)
            #expect(summary["replayed"] == count - 1)
            for table in ["attested_key", "receipt", "schedule", "metric_reading"] {
                #expect(try await test.number("SELECT count(*) FROM attestwatch.\(table)") == 9)
            }
            #expect(try journal.names.isEmpty)
        }
    }

    @Test("an answer that does not verify is told of, charged to nobody, and kept for a build that may know better")
    func unverified() async throws {
        try await TestDatabase.migrated { test in
            let journal = try await JournalStage(
                test, devices: 6,
                scenario: #"{"faults": [{"match": {"device_refs": ["device-000002"]}, "body": "changed_metric"}]}"#)
            let (path, count) = try await journal.leaveJournal()
            let told = "expected journaled answers that verify, found 1 that do not (signature 1), kept in "
            for _ in 0..<2 {
                let (result, summary) = try await journal.refresh()
                #expect(result.code == .attention)
                #expect(summary["replayed"] == count - 1)
                #expect(result.errors.contains("attestwatch: warning: \(told)\(path).unverified\nhint: "))
                #expect(try await test.number("SELECT max(attempts) FROM attestwatch.schedule") == 0)
                try files.moveItem(atPath: "\(path).unverified", toPath: path)
            }
        }
    }

    @Test("a torn tail is dropped and told of, and its receipt is asked for again")
    func tornTail() async throws {
        try await TestDatabase.migrated { test in
            let journal = try await JournalStage(test, devices: 10)
            let (path, count) = try await journal.leaveJournal()
            let octets = try Data(contentsOf: URL(filePath: path))
            try octets.dropLast(5).write(to: URL(filePath: path))
            let (result, summary) = try await journal.refresh()
            #expect(result.code == .success)
            #expect(result.errors.contains("warning: the journal ends in a write that was cut off: expected "))
            #expect(summary["replayed"] == count - 1 && summary["sent"] == 11 - count)
            #expect(try journal.names.isEmpty)
            #expect(try await test.number("SELECT count(*) FROM attestwatch.metric_reading") == 10)
        }
    }

    @Test("a damaged journal is read up to the damage and kept aside, and that is an exit code of 1")
    func damaged() async throws {
        try await TestDatabase.migrated { test in
            let journal = try await JournalStage(test, devices: 10)
            let (path, count) = try await journal.leaveJournal()
            var octets = try Data(contentsOf: URL(filePath: path))
            octets[octets.count / 2] ^= 1
            try octets.write(to: URL(filePath: path))
            let (result, summary) = try await journal.refresh()
            #expect(result.code == .attention)
            #expect(result.errors.contains("warning: the journal is damaged: expected "))
            let replayed = try #require(summary["replayed"])
            #expect(replayed > 0 && replayed < count)
            #expect(summary["sent"] == 10 - replayed)
            #expect(try journal.names.map { "\(journal.folder)/\($0)" } == ["\(path).damaged"])
        }
    }

    @Test("a journal that others can read is refused with 73 before anything is sent")
    func readableByOthers() async throws {
        try await TestDatabase.migrated { test in
            let journal = try await JournalStage(test, devices: 3)
            let (path, count) = try await journal.leaveJournal()
            try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            let (result, summary) = try await journal.refresh()
            #expect(result.code == .stateDirectory)
            #expect(
                result.errors.contains(
                    "attestwatch: error: cannot read the journal \(path): expected mode 0600, found 0644\nhint: "))
            #expect(summary["sent"] == 0)
            #expect(try journal.stage.ledger().count == count)
        }
    }
}
