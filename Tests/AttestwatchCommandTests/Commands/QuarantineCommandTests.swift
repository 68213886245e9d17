import AttestwatchCommand
import Foundation
import SimulatedDataServer
import TestSupport
import Testing

@Suite("quarantine")
struct QuarantineCommandTests {
    /// A stage whose receipts are taken in and due.
    private func stage(
        _ test: TestDatabase, devices: Int = 10, heavyShare: Double = 0, scenario: String? = nil, misplaced: Int = 0,
        after time: Duration = .hours(2)
    ) async throws -> Stage {
        let stage = try Stage(
            test, devices: devices, heavyShare: heavyShare, scenario: scenario, misplaced: misplaced)
        #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
        try stage.wait(time)
        return stage
    }

    private func refresh(_ stage: Stage, _ code: ExitCode) async throws -> [String: Int] {
        let result = try await stage.attestwatch("refresh", "--json")
        #expect(result.code == code, "\(result.errors)")
        return try #require(try jsonLines(result.output).first as? [String: Int])
    }

    private func lines(_ stage: Stage, _ arguments: String...) async throws -> [[String: Any]] {
        let result = try await stage.attestwatch.run(["quarantine"] + arguments + ["--json"])
        #expect(result.code == .success, "\(result.errors)")
        return try jsonLines(result.output)
    }

    private func counts(
        _ stage: Stage, _ code: ExitCode = .success, _ arguments: String...
    ) async throws -> [String: Any] {
        let result = try await stage.attestwatch.run(["quarantine"] + arguments + ["--json"])
        #expect(result.code == code, "\(result.errors)")
        return try #require(try jsonLines(result.output).first)
    }

    /// Makes one device's key the first that is sent, so that others are there to show that the fault is its own.
    private func sendFirst(_ device: String, _ test: TestDatabase) async throws {
        try await test.execute(
            """
            UPDATE attestwatch.schedule SET rank = 0, due_time = due_time - interval '1 hour'
            WHERE key_id = (SELECT key_id FROM attestwatch.attested_key WHERE device_ref = '\(device)')
            """)
    }

    /// A fault of one device's answers alone.
    private static func damaged(_ body: String, times: Int) -> String {
        """
        {"faults": [{"match": {"device_refs": ["device-000001"]}, "body": "\(body)", "times": \(times)}]}
        """
    }

    @Test(
        "a row marked with the wrong environment is parked and listed; nothing goes to the other server, others go on")
    func environment() async throws {
        try await TestDatabase.migrated { test in
            let stage = try await stage(test, misplaced: 1)
            try await sendFirst(stage.population.population.devices[0].deviceRef, test)
            let summary = try await refresh(stage, .attention)
            #expect(summary["replaced"] == 9 && summary["quarantined"] == 1 && summary["sent"] == 10)
            let listed = try await lines(stage, "list")
            let row = try #require(listed.first)
            #expect(listed.count == 1 && row["reason"] as? String == "environment")
            #expect(row["state"] as? String == "quarantined" && row["environment"] as? String == "production")
            #expect(row["last_status"] as? Int == 400 && row["last_excerpt"] as? String == "Incorrect Environment")
            #expect(row["last_trace_id"] is String && row["kept_answers"] as? Int == 0)
            #expect(row["attempts"] as? Int == 1 && row["app_id"] as? String == Stage.appID)
            let table = try await stage.attestwatch("quarantine", "list").output
            #expect(table.hasPrefix("REASON       STATE        SINCE"))
            #expect(
                table.contains(
                    "\nenvironment: the data server says that it belongs to the other environment\n    are the "))

            try stage.wait(.days(8))
            #expect(try await refresh(stage, .success)["sent"] == 9)
            let key = try #require(row["key_id"] as? String)
            #expect(try await counts(stage, .success, "release", key)["released"] as? Int == 1)
            try stage.wait(.hours(2))
            // Alone it is not known whose fault it is, and nobody is charged.
            #expect(try await refresh(stage, .attention)["held"] == 1)
            let ledger = try stage.ledger()
            #expect(ledger.filter { $0.keyID == key }.map(\.status) == [400, 400])
            #expect(ledger.allSatisfy { $0.environment == .production })
        }
    }

    @Test("answers under authorities that are not trusted yet are kept; once they are, recheck stores what Apple sent")
    func untrusted() async throws {
        try await TestDatabase.migrated { test in
            let stage = try await stage(test, heavyShare: 0.5, after: .days(7))
            let stranger = try SimulatedPKI()
            try stage.attestwatch.file("other.pem", PEM.encode("CERTIFICATE", stranger.receiptRoot.certificate))
            let good = try String(contentsOfFile: stage.configuration, encoding: .utf8)
            try stage.attestwatch.file(
                "a.json5", good.replacing("receipts: \"anchor.pem\"", with: "receipts: \"other.pem\""))
            let held = try await stage.attestwatch("refresh", "--json")
            #expect(held.code == .credentialRefused && held.errors.contains("(chain)"))
            let kept = try await test.number("SELECT count(*) FROM attestwatch.kept_answer")
            #expect(kept > 0)
            #expect(try stage.ledger().count == kept)
            #expect(try await lines(stage, "list").isEmpty)
            // One of them waits for a person on top of it.
            try await test.execute(
                """
                UPDATE attestwatch.schedule SET state = 'quarantined', quarantine_reason = 'not_verified', attempts = 3
                WHERE key_id = (SELECT max(key_id::text)::bytea FROM attestwatch.kept_answer)
                """)
            try stage.wait(.days(3))

            let still = try await stage.attestwatch("quarantine", "recheck", "--all")
            #expect(still.code == .attention)
            #expect(still.output.contains("\nchain           \(kept)  still does not verify, and is kept\n"))
            #expect(try await test.number("SELECT count(*) FROM attestwatch.kept_answer") == kept)

            try stage.attestwatch.file("a.json5", good)
            let mended = try await counts(stage, .success, "recheck", "--all")
            #expect(mended["judged"] as? Int == kept && mended["replaced"] as? Int == kept)
            #expect((mended["unverified"] as? [String: Int])?.isEmpty == true)
            #expect(try await test.number("SELECT count(*) FROM attestwatch.kept_answer") == 0)
            let state = "SELECT count(*) FROM attestwatch.schedule WHERE"
            #expect(try await test.number("\(state) state <> 'active' OR attempts > 0") == 0)
            #expect(try await test.number("\(state) last_outcome = 'replaced'") == kept)
            // Levels and flags are those of the receipts that came three days ago.
            let ledger = try stage.ledger()
            let heavy = ledger.filter { ($0.riskMetric ?? 0) >= 4 }.count
            #expect(mended["flags_opened"] as? Int == heavy)
            for line in ledger {
                let key = try #require(line.keyID)
                let level = try await test.texts(
                    """
                    SELECT level || ' ' || risk_metric
                    FROM attestwatch.key_level(decode('\(key)', 'base64'), clock_timestamp() + interval '10 days')
                    """)
                let metric = try #require(line.riskMetric)
                let word = metric >= 20 ? "high" : metric >= 6 ? "review" : metric >= 4 ? "watch" : "clear"
                #expect(level == ["\(word) \(metric)"])
            }
            #expect(try await counts(stage, .success, "recheck", "--all")["judged"] as? Int == 0)
        }
    }

    @Test("answers that are judged again so late that their readings are past keeping are stored, and that is told")
    func outdated() async throws {
        try await TestDatabase.migrated { test in
            let stage = try await stage(test)
            let stranger = try SimulatedPKI()
            try stage.attestwatch.file("other.pem", PEM.encode("CERTIFICATE", stranger.receiptRoot.certificate))
            let good = try String(contentsOfFile: stage.configuration, encoding: .utf8)
                .replacing("trust_anchors:", with: "retention: {readings: \"60d\"}, trust_anchors:")
            try stage.attestwatch.file(
                "a.json5", good.replacing("receipts: \"anchor.pem\"", with: "receipts: \"other.pem\""))
            #expect(try await stage.attestwatch("refresh").code == .credentialRefused)
            let kept = try await test.number("SELECT count(*) FROM attestwatch.kept_answer")
            let readings = try await test.number("SELECT count(*) FROM attestwatch.metric_reading")
            try stage.attestwatch.file("a.json5", good)
            try stage.wait(.days(61))
            let result = try await stage.attestwatch("quarantine", "recheck", "--all", "--json")
            let mended = try #require(try jsonLines(result.output).first)
            #expect(kept > 0 && mended["replaced"] as? Int == kept && mended["readings_outdated"] as? Int == kept)
            #expect(result.errors.contains("\(kept) readings are older than retention.readings and were not kept; "))
            #expect(try await test.number("SELECT count(*) FROM attestwatch.metric_reading") == readings)
        }
    }

    @Test(
        "one whose answers do not verify waits with its last three; it is dropped, taken back by name, and good again")
    func damaged() async throws {
        try await TestDatabase.migrated { test in
            let stage = try await stage(test, scenario: Self.damaged("damaged_signature", times: 3))
            for round in 1...3 {
                try await sendFirst("device-000001", test)
                let summary = try await refresh(stage, .attention)
                #expect(summary["sent"] == 10 && summary["quarantined"] == (round == 3 ? 1 : 0))
                if round < 3 { try stage.wait(.days(8)) }
            }
            let row = try #require(try await lines(stage, "list").first)
            let key = try #require(row["key_id"] as? String)
            #expect(row["reason"] as? String == "not_verified" && row["kept_answers"] as? Int == 3)
            let since = try #require(row["since"] as? String)

            let found = try await stage.attestwatch("quarantine", "recheck", key)
            #expect(found.code == .attention && found.output.contains("\nsignature       3  still does not verify"))
            #expect(try await lines(stage, "list", "--reason", "not_verified").count == 1)
            #expect(try await lines(stage, "list", "--reason", "not_newer").isEmpty)
            #expect(try await lines(stage, "list", "--before", since).isEmpty)
            #expect(try await lines(stage, "list", "--after", since).count == 1)
            #expect(try await lines(stage, "list", "--before", "9999-12-31").count == 1)
            #expect(try await lines(stage, "list", "--app", "A1B2C3D4E5.com.example.other").isEmpty)

            let trial = try await stage.attestwatch("quarantine", "drop", "--reason", "not_verified", "--dry-run")
            #expect(trial.code == .success)
            #expect(trial.output == "1 keys and 3 kept answers would be dropped, nothing was changed (--dry-run)\n")
            let dropped = try await counts(stage, .success, "drop", "--reason", "not_verified", "--after", since)
            #expect(dropped["dropped"] as? Int == 1 && dropped["answers_removed"] as? Int == 3)
            #expect(try await stage.attestwatch("quarantine", "list").output == "no key waits for a person\n")
            #expect(try await lines(stage, "list", "--dropped").first?["state"] as? String == "dropped")
            try stage.wait(.days(8))
            #expect(try await refresh(stage, .success)["sent"] == 9)

            #expect(try await counts(stage, .success, "release", "--all")["released"] as? Int == 0)
            let hex = Data(base64Encoded: key)?.map { String(format: "%02x", $0) }.joined() ?? ""
            #expect(try await counts(stage, .success, "release", hex)["released"] as? Int == 1)
            let again = try await stage.attestwatch("quarantine", "release", hex)
            #expect(again.code == .attention)
            #expect(again.errors.contains("warning: expected 1 keys that are put aside, found 0"))
            try stage.wait(.hours(2))
            #expect(try await refresh(stage, .success)["replaced"] == 1)
            #expect(try await test.number("SELECT count(*) FROM attestwatch.kept_answer") == 0)
        }
    }

    @Test("an older or the same receipt in answer is a concern of integrity, and kept", arguments: ["older", "echo"])
    func replayed(body: String) async throws {
        try await TestDatabase.migrated { test in
            // The first answer is good: only a receipt of the same type can be replayed.
            let scenario =
                """
                {"faults": [{"match": {"device_refs": ["device-000001"], "from_day": 5}, "body": "\(body)"}]}
                """
            let stage = try await stage(test, scenario: scenario)
            #expect(try await refresh(stage, .success)["replaced"] == 10)
            try stage.wait(.days(8))
            let result = try await stage.attestwatch("refresh", "--json")
            #expect(result.code == .attention)
            #expect(result.errors.contains("expected newer receipts of the same keys, found 1 others (not_newer 1)"))
            let summary = try #require(try jsonLines(result.output).first as? [String: Int])
            #expect(summary["replaced"] == 9 && summary["superseded"] == 0)
            #expect(summary["failed"] == 1 || summary["held"] == 1)
            #expect(try await test.texts("SELECT fault FROM attestwatch.kept_answer") == ["not_newer"])
        }
    }

    @Test("an answer that is newer than what was sent, and not than what is stored meanwhile, is only counted")
    func race() async throws {
        try await TestDatabase.migrated { test in
            let journal = try await JournalStage(test, devices: 5)
            let (path, count) = try await journal.leaveJournal()
            let aside = "\(path).copy"
            try FileManager.default.moveItem(atPath: path, toPath: aside)
            #expect(try await journal.refresh().summary["replaced"] == 5)
            try FileManager.default.moveItem(atPath: aside, toPath: path)
            let result = try await journal.stage.attestwatch("refresh", "--events", "-")
            #expect(result.code == .success && !result.errors.contains("warning"))
            let events = try jsonLines(result.output)
            #expect(events.count == count && events.allSatisfy { $0["outcome"] as? String == "superseded" })
            #expect(try await test.number("SELECT count(*) FROM attestwatch.kept_answer") == 0)
        }
    }

    @Test("no command prints an octet of a kept answer")
    func secrets() async throws {
        try await TestDatabase.migrated { test in
            let stage = try await stage(test, scenario: Self.damaged("damaged_signature", times: 1))
            let events = stage.attestwatch.folder.appending(path: "events").path
            var said = ""
            for arguments in [
                ["refresh", "--events", events], ["quarantine", "list", "--dropped"],
                ["quarantine", "recheck", "--all"],
                ["quarantine", "recheck", "--all", "--json"], ["status"], ["flags"],
            ] {
                let result = try await stage.attestwatch.run(arguments)
                said += result.output + result.errors
            }
            said += try String(contentsOfFile: events, encoding: .utf8)
            for form in ["base64", "hex"] {
                let answers = try await test.texts("SELECT encode(bytes, '\(form)') FROM attestwatch.kept_answer")
                let answer = try #require(answers.first?.filter { $0 != "\n" })
                // Past the first octets, which are the same in every receipt.
                for start in stride(from: 64, to: answer.count - 40, by: 200) {
                    let place = answer.index(answer.startIndex, offsetBy: start)
                    #expect(!said.contains(answer[place...].prefix(24)))
                }
            }
        }
    }
}
