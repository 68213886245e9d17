import AppAttest
import AttestwatchCommand
import Foundation
import Postgres
import SimulatedDataServer
import TestSupport
import Testing

@Suite("What a run notices about the past")
struct RunHistoryNoticeTests {
    private static let restored = "warning: the database is from before run "
    private static let pause = "warning: no run has come to its end for "

    @Test("after ten days off a run says for how long nothing ran, what is due and how long that takes, and clears it")
    func tenDaysOff() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 30, requestsPerSecond: 20)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            try stage.wait(.hours(2))
            #expect(!(try await stage.attestwatch("refresh").errors.contains(Self.pause)))
            try stage.wait(.hours(24) - .minutes(5))
            #expect(!(try await stage.attestwatch("refresh").errors.contains(Self.pause)))
            try stage.wait(.days(10))
            let result = try await stage.attestwatch("refresh", "--json")
            #expect(result.code == .success)
            #expect(result.errors.components(separatedBy: Self.pause).count == 2)
            #expect(
                result.errors.contains(
                    ": 30 receipts are due, which takes 2 s at the pace set; 0 of them expire within 3 d\nhint: "),
                "\(result.errors)")
            #expect(result.errors.contains("\(Self.pause)10 d"))
            #expect(try await test.number("SELECT count(*) FROM attestwatch.alert") == 0)
            #expect(!(try await stage.attestwatch("refresh").errors.contains(Self.pause)))
            // Long enough for receipts to expire.
            try stage.wait(.days(91))
            let late = try await stage.attestwatch("refresh")
            #expect(late.errors.contains("; 0 of them expire within 3 d, and 30 have expired since while data was "))
        }
    }

    @Test("fault 25: a database restored from an old backup is said to be one, once, and loses nothing")
    func restored() async throws {
        try await TestDatabase.migrated { test in
            let journal = try await JournalStage(test, devices: 20, heavyShare: 0.1)
            let stage = journal.stage
            #expect(try await journal.refresh().result.code == .success)
            try await copy(test, to: "\(try name(test))_backup")
            try stage.wait(.days(8))
            #expect(try await journal.refresh().summary["replaced"] == 20)
            try stage.wait(.days(8))
            // A run that cannot store what it receives leaves it in its journal.
            try await journal.breakStore()
            #expect(try await stage.attestwatch("refresh").code == .database)
            #expect(try journal.names.count == 1)
            try await putBack(test, from: "\(try name(test))_backup")

            let (result, summary) = try await journal.refresh()
            #expect(result.code == .success, "\(result.errors)")
            #expect(result.errors.components(separatedBy: Self.restored).count == 2, "\(result.errors)")
            #expect(result.errors.contains("\(Self.restored)2 of "))
            #expect(result.errors.contains(", which ended here: the latest is run 1 of "))
            #expect(summary["replayed"] == 20)
            #expect(try journal.names.isEmpty)
            try await compare(stage, try test.anew())

            try stage.wait(.hours(1))
            let next = try await journal.refresh()
            #expect(next.result.code == .success && !next.result.errors.contains(Self.restored))
            try stage.wait(.days(8))
            #expect(try await journal.refresh().summary["replaced"] == 20)
            try await compare(stage, try test.anew())
            #expect(try await test.anew().number("SELECT count(*) FROM attestwatch.alert") == 0)
        }
    }

    @Test("a note of the last run that is damaged, or of another database, is a warning and is written anew")
    func strangeNotes() async throws {
        try await TestDatabase.migrated { test in
            let journal = try await JournalStage(test, devices: 5)
            let path = "\(journal.folder)/last-run.json"
            #expect(try await journal.refresh().result.code == .success)
            let note = try String(contentsOfFile: path, encoding: .utf8)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600 && note.contains("\"run\":1,"))
            let strange = [
                ("", "cannot be read: expected a value, found"), ("{}", "cannot be read: expected a database, a run"),
                (note.replacing("\"run\":1", with: "\"run\":\"1\""), "cannot be read: expected a database, a run"),
                (String(repeating: " ", count: 5_000), "cannot be read: "),
                (note.replacing("\"database\":\"20", with: "\"database\":\"21"), "expected the database made at 21"),
            ]
            for (text, warning) in strange {
                try text.write(toFile: path, atomically: true, encoding: .utf8)
                let result = try await journal.refresh().result
                #expect(result.code == .success)
                #expect(result.errors.contains(warning), "\(text): \(result.errors)")
                let again = try await journal.refresh().result
                #expect(!again.errors.contains(warning))
                #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix(note.prefix(30)))
            }
        }
    }

    /// Every key has the receipt that was handed out last for it.
    private func compare(_ stage: Stage, _ test: TestDatabase) async throws {
        let stored = try await StoredRows.read(test)
        let lines = try stage.ledger().filter { $0.answeredDigest != nil }
        let answers = Dictionary(grouping: lines) { $0.keyID ?? "" }
        #expect(answers.count == 20 && stored.receipts.count == 20)
        for (keyID, own) in answers {
            let last = own.max { ($0.creationTime ?? "", $0.number) < ($1.creationTime ?? "", $1.number) }
            #expect(stored.receipts[keyID] == last?.answeredDigest)
        }
        #expect(stored.charged == 0)
    }

    private func name(_ test: TestDatabase) throws -> String {
        try #require(test.conninfo.split(separator: "dbname=").last.map(String.init))
    }

    /// The database as it is now, under another name.
    private func copy(_ test: TestDatabase, to copy: String) async throws {
        let name = try name(test)
        try await onServer(
            test, "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '\(name)'")
        try await onServer(test, "CREATE DATABASE \(copy) TEMPLATE \(name)")
    }

    /// The copy in the database's place.
    private func putBack(_ test: TestDatabase, from copy: String) async throws {
        try await onServer(test, "DROP DATABASE \(try name(test)) WITH (FORCE)")
        try await onServer(test, "ALTER DATABASE \(copy) RENAME TO \(try name(test))")
    }

    private func onServer(_ test: TestDatabase, _ statement: String) async throws {
        let server = try Database("\(test.conninfo) dbname=postgres")
        try await server.perform { connection throws(PostgresError) in
            try connection.runScript(Query(name: "test_server", sql: statement))
        }
    }
}
