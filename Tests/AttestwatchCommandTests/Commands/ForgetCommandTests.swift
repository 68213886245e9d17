import AppAttest
import AttestwatchCommand
import Foundation
import SimulatedDataServer
import TestServers
import TestSupport
import Testing

@Suite("forget", .ownThreads)
struct ForgetCommandTests {
    private let files = FileManager.default
    private static let allTables = [
        "attested_key", "receipt", "metric_reading", "schedule", "flag", "flag_event", "kept_answer", "intake",
        "intake_rejected", "refresh_run", "alert",
    ]

    @Test(
        "exactly one of the three names what is erased, in a form that can be one",
        arguments: [
            ([], "expected one of --user-ref, --device-ref and --key-id after forget, found nothing"),
            (["--user-ref", "a", "--key-id", "b"], "expected one of --user-ref and --key-id, found both"),
            (["--device-ref", ""], "--device-ref: expected a reference of 1 to 512 bytes, found ''"),
            (
                ["--key-id", "abc"],
                "--key-id: expected a key identifier, 32 bytes in base64, base64url or hexadecimal, "
                    + "found 'abc'"
            ),
            (
                ["--user-ref", "a", "--app", "b"],
                "--app: expected an App ID such as A1B2C3D4E5.com.example.app, found 'b'"
            ),
        ] as [([String], String)])
    func usage(arguments: [String], message: String) async throws {
        let runner = try CommandRunner()
        let result = try await runner.run(["forget"] + arguments)
        #expect(
            result.code == .usage && result.errors.hasPrefix("attestwatch: error: \(message)\n"), "\(result.errors)")
        try runner.remove()
    }

    @Test("a dry run counts what then goes and changes nothing; a second time there is nothing, and that is no fault")
    func counted() async throws {
        try await TestDatabase.migrated { test in
            let journal = try await JournalStage(test, devices: 10, heavyShare: 0.2, after: .days(7))
            #expect(try await journal.refresh().result.code == .success)
            let device = try #require(
                try await test.texts("SELECT substring(subject from '[^ ]*$') FROM attestwatch.flag").first)
            let user = device.replacing("device", with: "user")
            let before = try await journal.rows(of: Self.allTables)
            #expect(before.contains { $0.contains(device) } && before.contains { $0.contains(user) })
            let dry = try await journal.stage.attestwatch("forget", "--user-ref", user, "--dry-run", "--json")
            #expect(try await journal.rows(of: Self.allTables) == before)
            let real = try await journal.stage.attestwatch("forget", "--user-ref", user, "--json")
            #expect(dry.code == .success && real.code == .success && real.errors.isEmpty, "\(real.errors)")
            let expected = """
                {"keys":1,"receipts":1,"readings":1,"submissions":0,"rejections":0,"kept_answers":0,"flags_closed":1,\
                "references_struck":2,"journal_entries":0,"dry_run":
                """
            #expect(dry.output == "\(expected)true}\n" && real.output == "\(expected)false}\n", "\(real.output)")
            let after = try await journal.rows(of: Self.allTables)
            #expect(!after.contains { $0.contains(device) || $0.contains(user) })
            #expect(try await test.number("SELECT count(*) FROM attestwatch.attested_key") == 9)

            let again = try await journal.stage.attestwatch("forget", "--user-ref", user)
            #expect(again.code == .success && again.output == "nothing of that name is on record\n")
            #expect(try await journal.rows(of: Self.allTables) == after)
            let flags = try await journal.stage.attestwatch("flags", "--json")
            #expect(try jsonLines(flags.output).count == 1)
        }
    }

    @Test("journals lose the entries of what is erased, and what others still hold is never put back")
    func journals() async throws {
        try await TestDatabase.migrated { test in
            let journal = try await JournalStage(test, devices: 10)
            let (path, count) = try await journal.leaveJournal()
            let whole = try Data(contentsOf: URL(filePath: path))
            var damaged = whole
            damaged[damaged.count / 2] ^= 1
            let paths = [path, "\(path).unverified", "\(path).damaged", "\(path).refused"]
            for (place, copy) in paths.enumerated() where place > 0 {
                try (place == 2 ? damaged : whole).write(to: URL(filePath: copy))
                try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
            }
            // The first entry, so that it stands before the damage.
            let key = try #require(KeyIdentifier([UInt8](whole[(8 + 12 + 27)..<(8 + 12 + 59)])))
            let result = try await journal.stage.attestwatch("forget", "--key-id", key.base64, "--json")
            #expect(result.code == .attention)
            #expect(try jsonLines(result.output).first?["journal_entries"] as? Int == 4)
            #expect(
                result.errors.hasPrefix(
                    "attestwatch: warning: the journal \(paths[2]) may still hold what was erased: expected the "))
            #expect(result.errors.split(separator: "\n").count == 2)
            for path in paths {
                let octets = try Data(contentsOf: URL(filePath: path))
                #expect(octets.count < whole.count && octets.range(of: Data(key.bytes)) == nil, "\(path)")
            }
            for copy in paths.dropFirst() { try files.removeItem(atPath: copy) }
            let again = try await journal.stage.attestwatch("forget", "--key-id", key.base64)
            #expect(again.code == .success && again.errors.isEmpty)

            // As another worker's machine has it.
            try whole.write(to: URL(filePath: path))
            let (replay, summary) = try await journal.refresh()
            #expect(replay.code == .success && summary["replayed"] == count - 1, "\(replay.errors)")
            for table in ["attested_key", "receipt", "schedule", "metric_reading"] {
                #expect(try await test.number("SELECT count(*) FROM attestwatch.\(table)") == 9, "\(table)")
            }
            #expect(try journal.names.isEmpty)
        }
    }

    @Test("of a run that is cut off after an erasure no entry is put back, also to a key that is handed over anew")
    func cutOff() async throws {
        try await TestDatabase.migrated { test in
            let journal = try await JournalStage(test, devices: 6)
            let (path, count) = try await journal.leaveJournal()
            try #require(count == 6)
            let whole = try Data(contentsOf: URL(filePath: path))
            // Another worker's journal: this machine's command does not reach it.
            var elsewhere = journal.stage.attestwatch
            elsewhere.environment["STATE_DIRECTORY"] = "\(journal.folder)-elsewhere"
            let devices = journal.stage.population.population.devices
            for device in devices.prefix(2) {
                #expect(try await elsewhere("forget", "--device-ref", device.deviceRef).code == .success)
            }
            // The back end hands one of them over again, and its first reading is not due yet.
            try journal.stage.wait(.minutes(5))
            let lines = try String(contentsOfFile: journal.stage.intake, encoding: .utf8).split(separator: "\n")
            let anew = try #require(lines.first { $0.contains("\"\(devices[0].deviceRef)\"") })
            let file = try journal.stage.attestwatch.file("anew.ndjson", "\(anew)\n")
            #expect(try await elsewhere("ingest", file, "--spread", "7d").code == .success)
            let keys = devices.prefix(2).map { "decode('\($0.keys[0].keyID.base64EncodedString())', 'base64')" }
            let list = keys.joined(separator: ",")
            let rows = "SELECT count(*) FROM attestwatch.metric_reading WHERE key_id IN (\(list))"
            // Set aside and renamed it is judged once more, and that changes nothing either.
            for _ in 0..<2 {
                try whole.write(to: URL(filePath: path))
                try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
                let (replay, summary) = try await journal.refresh()
                #expect(replay.code == .success && summary["replayed"] == 4, "\(replay.errors)")
                #expect(try await test.number(rows) == 0)
                #expect(try await test.number("SELECT count(*) FROM attestwatch.attested_key") == 5)
                let types = "SELECT count(*) FROM attestwatch.receipt WHERE receipt_type = 'ATTEST'"
                #expect(try await test.number(types) == 1)
                #expect(try journal.names.isEmpty)
            }
        }
    }

    @Test("on another machine the same command takes out of its journals what was erased here; a dry run takes nothing")
    func elsewhere() async throws {
        try await TestDatabase.migrated { test in
            let journal = try await JournalStage(test, devices: 5)
            let (path, count) = try await journal.leaveJournal()
            let device = journal.stage.population.population.devices[0].deviceRef
            let size = { try Data(contentsOf: URL(filePath: path)).count }
            let whole = try size()
            var elsewhere = journal.stage.attestwatch
            elsewhere.environment["STATE_DIRECTORY"] = "\(journal.folder)-elsewhere"
            let first = try await elsewhere("forget", "--device-ref", device, "--json")
            let counts = try #require(try jsonLines(first.output).first)
            #expect(first.code == .success && counts["keys"] as? Int == 1 && counts["journal_entries"] as? Int == 0)
            for (dryRun, left) in [(true, whole), (false, whole - whole / count)] {
                let options = dryRun ? ["--dry-run"] : []
                let here = try await journal.stage.attestwatch.run(
                    ["forget", "--device-ref", device, "--json"] + options)
                #expect(here.code == .success)
                #expect(try jsonLines(here.output).first?["journal_entries"] as? Int == 1)
                // Entries are of about one size.
                #expect(abs(try size() - left) < whole / count / 2)
            }
        }
    }

    @Test("a request that is on its way when its key is erased ends well, and nothing of the key comes back")
    func duringRun() async throws {
        try await TestAuthority.with { authority in
            let server = try HoldingServer(try authority.issue())
            try await TestDatabase.migrated { test in
                let stage = try Stage(test, devices: 2, hasServer: false)
                let url = "https://127.0.0.1:\(server.port)/v1/attestationData"
                try stage.ask(url, trusting: authority.certificateFile)
                #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
                try await test.execute(
                    "INSERT INTO attestwatch.data_server (url, answered_time) VALUES ('\(url)', now())")
                try stage.wait(.hours(2))
                let command = try StartedCommand(stage, "refresh", "--json")
                try server.waitForRequests(1)
                let first = """
                    SELECT device_ref FROM attestwatch.attested_key JOIN attestwatch.schedule USING (key_id)
                    ORDER BY rank, due_time, key_id LIMIT 1
                    """
                let device = try #require(try await test.texts(first).first)
                let forgotten = try await stage.attestwatch("forget", "--device-ref", device, "--json")
                #expect(forgotten.code == .success, "\(forgotten.errors)")
                #expect(try jsonLines(forgotten.output).first?["keys"] as? Int == 1)
                try server.answer(2)
                let ending = try command.ending()
                #expect(ending.status == 0, "\(ending.errors)")
                for table in ["attested_key", "receipt", "schedule"] {
                    #expect(try await test.number("SELECT count(*) FROM attestwatch.\(table)") == 1, "\(table)")
                }
                let quiet = "SELECT count(*) FROM attestwatch.schedule WHERE state = 'quiet'"
                #expect(try await test.number(quiet) == 1)
            }
        }
    }

    @Test("a journal that a run is writing is named and left alone; the same command takes its entries out later")
    func held() async throws {
        try await TestDatabase.migrated { test in
            let journal = try await JournalStage(test, devices: 3)
            let (path, _) = try await journal.leaveJournal()
            let holder = Process()
            holder.executableURL = URL(filePath: "/usr/bin/env")
            holder.arguments = ["flock", path, "sh", "-c", "echo held; cat"]
            let (input, output) = (Pipe(), Pipe())
            (holder.standardInput, holder.standardOutput) = (input, output)
            try holder.run()
            #expect(output.fileHandleForReading.availableData == Data("held\n".utf8))
            let before = try Data(contentsOf: URL(filePath: path))
            let device = journal.stage.population.population.devices[0].deviceRef
            let result = try await journal.stage.attestwatch("forget", "--device-ref", device)
            try input.fileHandleForWriting.close()
            holder.waitUntilExit()
            #expect(result.code == .attention)
            #expect(
                result.errors.hasPrefix(
                    "attestwatch: warning: a run is writing the journal \(path), which was left alone\nhint: "))
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
            let again = try await journal.stage.attestwatch("forget", "--device-ref", device)
            #expect(again.code == .success && again.errors == "")
            #expect(try Data(contentsOf: URL(filePath: path)) != before)
        }
    }

    @Test("where no state folder is known the database is done, that journals were not is said, and it is 1")
    func noStateFolder() async throws {
        try await TestDatabase.migrated { test in
            let journal = try await JournalStage(test, devices: 3)
            let (path, _) = try await journal.leaveJournal()
            let before = try Data(contentsOf: URL(filePath: path))
            let device = journal.stage.population.population.devices[0].deviceRef
            var bare = journal.stage.attestwatch
            bare.environment["STATE_DIRECTORY"] = nil
            let result = try await bare("forget", "--device-ref", device)
            #expect(result.code == .attention)
            #expect(
                result.errors.hasPrefix(
                    "attestwatch: warning: no state_directory is set: journals of runs on this machine may still hold "
                        + "what was erased\nhint: run the same command again with state_directory, "),
                "\(result.errors)")
            #expect(try await test.number("SELECT count(*) FROM attestwatch.attested_key") == 2)
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
            let again = try await journal.stage.attestwatch("forget", "--device-ref", device)
            #expect(again.code == .success && again.errors == "")
            #expect(try Data(contentsOf: URL(filePath: path)) != before)
        }
    }
}
