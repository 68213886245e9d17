import Foundation
import TestSupport
import Testing

@Suite("refresh without room for a journal")
struct JournalSpaceTests {
    /// Runs a refresh as a process of its own to its end.
    private func refresh(
        _ journal: JournalStage, under words: [String] = []
    ) throws -> (status: Int32, output: String, errors: String) {
        let (output, errors) = (Pipe(), Pipe())
        let process = try journal.stage.start(["refresh", "--json"], under: words, output: output, errors: errors)
        let summary = try output.fileHandleForReading.readToEnd() ?? Data()
        let notes = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        return (
            process.terminationStatus, String(decoding: summary, as: UTF8.self), String(decoding: notes, as: UTF8.self)
        )
    }

    @Test("a full state folder ends the run with 73; all that was handed out is stored, and nobody is charged")
    func full() async throws {
        try await TestDatabase.migrated { test in
            let journal = try await JournalStage(test, devices: 300)
            // A small file system where this process may mount one, else a limit on the size of files.
            try FileManager.default.createDirectory(
                atPath: journal.folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            let isMounted =
                try runTool("mount", ["-t", "tmpfs", "-o", "size=64k,mode=0700", "tmpfs", journal.folder]).status == 0
            defer { if isMounted { _ = try? runTool("umount", [journal.folder]) } }
            let result = try refresh(journal, under: isMounted ? [] : ["prlimit", "--fsize=65536"])
            let reason = isMounted ? "no space left on device" : "file too large"
            #expect(result.status == 73)
            #expect(
                result.errors.contains(
                    "attestwatch: error: cannot write the journal in \(journal.folder): \(reason); "
                        + "what was received is stored\nhint: "))
            let sent = try journal.stage.ledger().count
            #expect(sent < 300)
            #expect(try jsonLines(result.output).first?["replaced"] as? Int == sent)
            #expect(try await journal.number("SELECT count(*) FROM attestwatch.metric_reading") == sent)
            let charged = "SELECT count(*) FROM attestwatch.schedule WHERE attempts > 0 OR failures > 0"
            #expect(try await journal.number(charged) == 0)
            #expect(try journal.names.isEmpty)

            if isMounted { #expect(try runTool("umount", [journal.folder]).status == 0) }
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
