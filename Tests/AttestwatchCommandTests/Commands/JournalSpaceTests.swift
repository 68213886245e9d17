import Foundation
import TestSupport
import Testing

@Suite("refresh without room for a journal")
struct JournalSpaceTests {
    /// Runs a refresh as a process of its own to its end.
    private func refresh(
        _ journal: JournalStage, under words: [String] = []
    ) throws -> (status: Int32, output: String, errors: String) {
        try StartedCommand(journal.stage, "refresh", "--json", under: words).ending()
    }

    @Test("a full state folder ends the run with 73; all that was handed out is stored, and nobody is charged")
    func full() async throws {
        try await TestDatabase.migrated { test in
            let journal = try await JournalStage(test, devices: 300)
            let folder = try LimitedFolder(journal.folder, octets: 65_536)
            let result = try refresh(journal, under: folder.words)
            #expect(result.status == 73)
            #expect(
                result.errors.contains(
                    "attestwatch: error: cannot write the journal in \(journal.folder): \(folder.reason); "
                        + "what was received is stored\nhint: "))
            let sent = try journal.stage.ledger().count
            #expect(sent < 300)
            #expect(try jsonLines(result.output).first?["replaced"] as? Int == sent)
            #expect(try await test.number("SELECT count(*) FROM attestwatch.metric_reading") == sent)
            let charged = "SELECT count(*) FROM attestwatch.schedule WHERE attempts > 0 OR failures > 0"
            #expect(try await test.number(charged) == 0)
            #expect(try journal.names.isEmpty)

            folder.unmount()
            #expect(try refresh(journal).status == 0)
            #expect(try journal.stage.ledger().count == 300)
        }
    }

    @Test("with the store away too, the run ends with 75 and says how many answers are lost and how many kept")
    func bothAway() async throws {
        try await TestDatabase.migrated { test in
            let journal = try await JournalStage(test, devices: 300)
            try await journal.breakStore()
            let result = try refresh(journal, under: ["prlimit", "--fsize=65536"])
            #expect(result.status == 75)
            #expect(result.errors.contains("cannot write the journal in \(journal.folder): file too large\n"))
            let words = try #require(
                result.errors.firstMatch(of: /; (\d+) outcomes were not stored, (\d+) of them are in the journal\n/))
            let unsaved = try #require(Int(words.1))
            let kept = try #require(Int(words.2))
            #expect(unsaved == (try journal.stage.ledger().count))
            #expect(kept > 0 && kept < unsaved)

            try await journal.mendStore()
            let (_, summary) = try await journal.refresh()
            #expect(summary["replayed"] == kept && summary["sent"] == 300 - kept)
        }
    }

    @Test("without a state folder a run works, and one line says that nothing keeps its answers")
    func noFolder() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 3)
            stage.attestwatch.environment["STATE_DIRECTORY"] = nil
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            try stage.wait(.hours(2))
            let result = try await stage.attestwatch("refresh")
            #expect(result.code == .success)
            #expect(result.errors.contains("attestwatch: warning: no state_directory is set: answers are not kept in "))
            #expect(try await stage.attestwatch("status").errors.isEmpty)
        }
    }

    @Test("config check names a state folder in memory, and says when there is none")
    func configCheck() async throws {
        var attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        try attestwatch.file("k.p8", TestKeys.p256)
        attestwatch.environment["ATTESTWATCH_CONFIG"] = try attestwatch.file(
            "a.json5",
            """
            {database: "dbname=x", apps: [{app_id: "A1B2C3D4E5.com.example.app",
                                           signing_keys: [{id: "ABC123DEFG", file: "k.p8"}]}]}
            """)
        let none = try await attestwatch("config", "check")
        #expect(none.code == .success)
        #expect(none.errors.contains("attestwatch: warning: no state_directory is set: answers are not kept in "))
        attestwatch.environment["STATE_DIRECTORY"] = "/dev/shm/attestwatch"
        let inMemory = try await attestwatch("config", "check")
        #expect(inMemory.code == .success)
        #expect(
            inMemory.errors == "attestwatch: warning: expected a state folder that outlives a restart of the machine, "
                + "found /dev/shm/attestwatch on tmpfs, which is memory\n")
    }
}
