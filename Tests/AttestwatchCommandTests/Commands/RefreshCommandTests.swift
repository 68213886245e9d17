import AppAttest
import AttestwatchCommand
import Foundation
import Postgres
import TestSupport
import Testing

@Suite("refresh, flags and status")
struct RefreshCommandTests {
    static let summaryKeys: Set<String> = [
        "due", "sent", "replaced", "early", "quiet", "superseded", "held", "quarantined", "failed", "retired", "lost",
        "replayed", "taken_in", "rejected", "pending", "flags_opened", "flags_raised", "flags_lowered", "flags_cleared",
    ]

    private func summary(_ result: CommandRunner.Result) throws -> [String: Int] {
        let summary = try #require(try jsonLines(result.output).first as? [String: Int])
        #expect(Set(summary.keys) == Self.summaryKeys)
        return summary
    }

    @Test("the main job: first readings, a week later flags and quiet keys; database and ledger agree")
    func mainJob() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 60, heavyShare: 0.1, quietShare: 0.25)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            try stage.wait(.hours(2))
            let dry = try await stage.attestwatch("refresh", "--dry-run")
            #expect(dry.code == .success)
            #expect(dry.output == "60 due, nothing sent (--dry-run)\n")
            #expect(try stage.ledger().isEmpty)

            let first = try await stage.attestwatch("refresh", "--json")
            #expect(first.code == .success)
            let firstSummary = try summary(first)
            #expect(firstSummary["sent"] == 60 && firstSummary["replaced"] == 60)
            #expect(first.errors.contains("attestwatch: warning: not Apple's: trust anchors of receipts "))
            #expect(try await stage.attestwatch("flags").output == "no flagged devices\n")

            try stage.wait(.days(8))
            let second = try await stage.attestwatch("refresh", "--events", "-", "--json")
            #expect(second.code == .success)
            let events = try jsonLines(second.output)
            #expect(events.count == 60)
            #expect(events.filter { $0["flag"] as? String == "opened" }.count == 6)
            let quiet = events.filter { $0["outcome"] as? String == "quiet" }.count
            #expect(quiet > 10)
            #expect(second.errors.contains("\"flags_opened\":6"))

            let flags = try jsonLines(try await stage.attestwatch("flags", "--json").output)
            #expect(flags.compactMap { $0["risk_metric"] as? Int } == [30, 30, 10, 10, 5, 5])
            #expect(
                flags.compactMap { $0["level"] as? String } == ["high", "high", "review", "review", "watch", "watch"])
            let high = try jsonLines(try await stage.attestwatch("flags", "list", "--json", "--level", "high").output)
            #expect(high.count == 2)
            let csv = try await stage.attestwatch("flags", "--csv", "--app", Stage.appID).output
            #expect(csv.components(separatedBy: "\r\n").count == 8)
            #expect(try await stage.attestwatch("flags", "--app", "Z1B2C3D4E5.x").output == "no flagged devices\n")

            let status = try #require(try jsonLines(try await stage.attestwatch("status", "--json").output).first)
            #expect(status["fresh"] as? Int == 60 - quiet)
            #expect(status["quiet"] as? Int == quiet)
            #expect((status["replacements"] as? [String])?.count == 2)
            try await compareLedger(stage, test)
        }
    }

    /// Every receipt that the data server handed out last for a key is the one stored, and the other way round.
    private func compareLedger(_ stage: Stage, _ test: TestDatabase) async throws {
        var answered: [String: String] = [:]
        for line in try stage.ledger() {
            if let keyID = line.keyID, let digest = line.answeredDigest { answered[keyID] = digest }
        }
        let query = Query(
            name: "test_receipts",
            sql: "SELECT encode(key_id, 'base64'), encode(sha256(bytes), 'hex') FROM attestwatch.receipt")
        let rows: [[String]] = try await test.database.perform { connection throws(PostgresError) in
            var rows = try connection.run(query)
            var found: [[String]] = []
            while rows.next() { found.append([try rows.read(), try rows.read()]) }
            return found
        }
        #expect(answered.count == 60)
        #expect(Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) }) == answered)
    }

    @Test("--limit sends so many and leaves the rest due; --app names a configured app")
    func limit() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 20)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            try stage.wait(.hours(2))
            let summary = try summary(try await stage.attestwatch("refresh", "--limit", "7", "--json"))
            #expect(summary["due"] == 20 && summary["sent"] == 7)
            #expect(try stage.ledger().count == 7)
            let other = try await stage.attestwatch("refresh", "--app", "Z1B2C3D4E5.x")
            #expect(other.code == .usage)
            #expect(other.errors.contains("--app: expected a configured App ID, found 'Z1B2C3D4E5.x'"))
            #expect(try await stage.attestwatch("refresh", "--limit", "0").code == .usage)
            #expect(try await stage.attestwatch("refresh", "--max-duration", "1").code == .usage)
            #expect(try await stage.attestwatch("refresh", "--max-duration", "0s").code == .usage)
        }
    }

    @Test("a refused credential is 77 after a handful of calls, and nobody is charged")
    func refusedCredential() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 30, refusesCredential: true)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            try stage.wait(.hours(2))
            let result = try await stage.attestwatch("refresh", "--json")
            #expect(result.code == .credentialRefused)
            let summary = try summary(result)
            #expect(summary["held"] == 30 && summary["quarantined"] == 0)
            #expect(try stage.ledger().count == 4)
            #expect(
                result.errors.contains(
                    "attestwatch: error: the data server refused the credential, to every receipt that was tried "
                        + "(team A1B2C3D4E5 (production), key SIMULATED1); nobody was charged for it\nhint: "
                ))
            // Nothing has been mended: the next run says so again, with a handful of calls more.
            let again = try await stage.attestwatch("refresh", "--json")
            #expect(again.code == .credentialRefused)
            #expect(try self.summary(again)["held"] == 26)
            #expect(try stage.ledger().count == 8)
        }
    }

    @Test("while keys are changed, the one that is taken goes first after one refusal of the other")
    func rotatedKey() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 30, addsRefusedKey: true)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            try stage.wait(.hours(2))
            let result = try await stage.attestwatch("refresh", "--json")
            #expect(result.code == .success, "\(result.errors)")
            #expect(try summary(result)["replaced"] == 30)
            #expect(try stage.ledger().count == 31)
            // The one that is refused is named, so that it is not the other one that is taken out.
            #expect(result.errors.contains("warning: the data server refused the signing key UNKNOWN001 (team A1B2C3"))
            let alerts = try await test.texts(
                "SELECT cause FROM attestwatch.alert WHERE kind = 'credential.rejected' AND closed_time IS NULL")
            #expect(alerts == ["A1B2C3D4E5 key UNKNOWN001 (production)"])
        }
    }

    @Test("a data server that is away is 69, one that fails too, and nothing is lost")
    func unavailable() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 5, hasServer: false)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            try stage.wait(.hours(2))
            let result = try await stage.attestwatch("refresh", "--json")
            #expect(result.code == .dataServerUnavailable)
            #expect(try summary(result)["failed"] == 5)
            #expect(result.errors.contains("the data server for production answered nothing of use: connection"))
        }
    }

    @Test("an answer that does not verify is charged to its receipt, told of, and changes nothing that is stored")
    func damagedAnswers() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(
                test, devices: 6,
                scenario: #"{"faults": [{"match": {"device_refs": ["device-000002"]}, "body": "changed_metric"}]}"#)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            // Due first, so that others follow which show that the fault is its own.
            try await test.execute(
                """
                UPDATE attestwatch.schedule SET due_time = due_time - interval '1 day'
                WHERE key_id = (SELECT key_id FROM attestwatch.attested_key WHERE device_ref = 'device-000002')
                """)
            try stage.wait(.hours(2))
            let result = try await stage.attestwatch("refresh", "--events", "-")
            #expect(result.code == .attention)
            #expect(result.errors.contains("expected answers that verify, found 1 that do not (signature 1)\nhint: "))
            let doubtful = try jsonLines(result.output).filter { $0["failure"] as? String == "signature" }
            #expect(doubtful.count == 1)
            #expect(doubtful.first?["outcome"] as? String == "failed")
            #expect(doubtful.first?["risk_metric"] is NSNull)
            let status = try #require(try jsonLines(try await stage.attestwatch("status", "--json").output).first)
            #expect(status["fresh"] as? Int == 5 && status["unknown"] as? Int == 1)
        }
    }

    @Test("an answer that the database refuses is told with its SQLSTATE, is 1, and is not asked for again at once")
    func refusedByDatabase() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 3)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            try await test.execute(
                "ALTER TABLE attestwatch.receipt ADD CONSTRAINT test_refuses CHECK (receipt_type = 'ATTEST')")
            try stage.wait(.hours(2))
            let result = try await stage.attestwatch("refresh", "--events", "-")
            #expect(result.code == .attention)
            let events = try jsonLines(result.output)
            #expect(events.compactMap { $0["failure"] as? String } == Array(repeating: "sqlstate_23514", count: 3))
            #expect(events.allSatisfy { $0["outcome"] as? String == "failed" && $0["due_time"] is String })
            #expect(
                result.errors.contains(
                    "attestwatch: warning: the database refused 3 outcomes for a value in them (SQLSTATE 23514)"))
            // The answers in the journal are refused once more, and set aside.
            let again = try await stage.attestwatch("refresh", "--json")
            #expect(again.code == .attention)
            #expect(try summary(again)["sent"] == 0)
        }
    }

    @Test("an answer with another token is stored, and its event says so")
    func changedToken() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 3)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            try await test.execute(
                """
                UPDATE attestwatch.receipt SET token_digest = sha256('another')
                WHERE key_id = (SELECT max(key_id::text)::bytea FROM attestwatch.receipt)
                """)
            try stage.wait(.hours(2))
            let result = try await stage.attestwatch("refresh", "--events", "-")
            #expect(result.code == .success)
            let events = try jsonLines(result.output)
            #expect(events.allSatisfy { $0["outcome"] as? String == "replaced" })
            #expect(events.compactMap { $0["token_changed"] as? Bool }.count { $0 } == 1)
        }
    }

    @Test("a state folder that cannot be used is 73, a missing one is made with mode 0700")
    func stateDirectory() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 1, hasServer: false)
            let folder = stage.attestwatch.folder.appending(path: "state").path
            stage.attestwatch.environment["STATE_DIRECTORY"] = folder
            #expect(try await stage.attestwatch("refresh", "--dry-run").code == .success)
            let attributes = try FileManager.default.attributesOfItem(atPath: folder)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
            let open = try await stage.attestwatch("refresh")
            #expect(open.code == .stateDirectory)
            #expect(
                open.errors.contains("cannot use the state folder \(folder): expected mode 0700, found 0755\nhint: "))
            stage.attestwatch.environment["STATE_DIRECTORY"] = "/dev/null/x"
            #expect(try await stage.attestwatch("refresh").code == .stateDirectory)
        }
    }

    @Test("events that cannot be written do not stop the run, and are an error at its end")
    func events() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 3)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            try stage.wait(.hours(2))
            let result = try await stage.attestwatch("refresh", "--json", "--events", "/dev/full")
            #expect(result.code == .attention)
            #expect(try summary(result)["replaced"] == 3)
            #expect(result.errors.contains("cannot write to /dev/full: no space left on device"))
        }
    }

    @Test("SIGTERM ends a run in good order: what was answered is stored, the rest stays due")
    func stopSignal() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 200, requestsPerSecond: 20)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            try stage.wait(.hours(2))
            let (output, errors) = (Pipe(), Pipe())
            let process = try stage.start(["refresh", "--events", "-", "--json"], output: output, errors: errors)
            // The first batch has been stored when its events come.
            var events = output.fileHandleForReading.availableData
            #expect(!events.isEmpty)
            process.terminate()
            events += try output.fileHandleForReading.readToEnd() ?? Data()
            let notes = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationReason == .exit)
            #expect(process.terminationStatus == 0)
            let sent = try stage.ledger().count
            #expect(sent < 200)
            #expect(try jsonLines(String(decoding: events, as: UTF8.self)).count == sent)
            #expect(notes.contains("attestwatch: warning: the run was asked to stop; what was not sent is still due\n"))
            let status = try #require(try jsonLines(try await stage.attestwatch("status", "--json").output).first)
            #expect(status["fresh"] as? Int == sent)
            #expect(status["due"] as? Int == 200 - sent)
        }
    }
}
