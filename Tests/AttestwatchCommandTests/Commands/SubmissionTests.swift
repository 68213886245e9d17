import AppAttest
import AttestwatchCommand
import Foundation
import Postgres
import TestSupport
import Testing

@Suite("What a back end hands over in SQL, from run to run", .ownThreads)
struct SubmissionTests {
    /// The population's receipts as a back end has them, with the values of `submit_receipt`'s parameters.
    private func handOver(_ stage: Stage, _ test: TestDatabase, change: (inout [String: Any]) -> Void = { _ in })
        async throws -> [String]
    {
        var states: [String] = []
        for line in try jsonLines(String(contentsOfFile: stage.intake, encoding: .utf8)) {
            var values = line
            change(&values)
            let parameters = ["app_id", "key_id", "receipt", "environment", "device_ref", "user_ref"].map { name in
                Parameter.text(values[name] as? String)
            }
            let query = Query(
                name: "test_submit", sql: "SELECT attestwatch.submit_receipt($1, $2, $3, $4, $5, $6)")
            states += try await test.database.perform { connection throws(PostgresError) in
                var rows = try connection.run(query, parameters)
                _ = rows.next()
                return [try rows.read()]
            }
        }
        return states
    }

    private func run(_ stage: Stage, _ arguments: String...) async throws -> (CommandRunner.Result, [String: Int]) {
        let result = try await stage.attestwatch.run(["refresh", "--json"] + arguments)
        return (result, try #require(try jsonLines(result.output).first as? [String: Int]))
    }

    private func openAlerts(_ stage: Stage) async throws -> [[String: String]] {
        let status = try #require(try jsonLines(try await stage.attestwatch("status", "--json").output).first)
        return try #require(status["alerts"] as? [[String: String]])
    }

    private static let states = """
        SELECT DISTINCT concat_ws(' ', s.state, s.reason, s.detail)
        FROM (SELECT key_id FROM attestwatch.attested_key UNION SELECT key_id FROM attestwatch.intake_rejected
            UNION SELECT key_id FROM attestwatch.intake) AS k, attestwatch.submission(k.key_id) AS s ORDER BY 1
        """

    @Test("from submission to level: taken in by the next run, read by a later one, and the back end is told each time")
    func wholeWay() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 12, heavyShare: 0.5)
            #expect(try await handOver(stage, test) == Array(repeating: "pending", count: 12))
            let dry = try await stage.attestwatch("refresh", "--dry-run")
            #expect(dry.output == "0 due, nothing sent (--dry-run)\n12 handed over in SQL, none taken in\n")
            #expect(try await test.texts(Self.states) == ["pending"])

            let (first, counts) = try await run(stage)
            #expect(first.code == .success, "\(first.errors)")
            #expect(counts["taken_in"] == 12 && counts["rejected"] == 0 && counts["pending"] == 0)
            #expect(try await test.texts(Self.states) == ["taken_in"])
            #expect(try await handOver(stage, test) == Array(repeating: "taken_in", count: 12))
            #expect(try await test.number("SELECT sum(taken_in)::bigint FROM attestwatch.refresh_run") == 12)

            for wait in [Duration.hours(2), .days(8)] {
                try stage.wait(wait)
                let (result, counts) = try await run(stage)
                #expect(result.code == .success && counts["replaced"] == 12)
                #expect(counts["taken_in"] == 0)
            }
            let levels = """
                SELECT DISTINCT level FROM attestwatch.attested_key k,
                    attestwatch.key_level(encode(k.key_id, 'base64'), now() + interval '9 days') ORDER BY level
                """
            #expect(try await test.texts(levels) == ["clear", "high", "review", "watch"])
            // What was handed over stays taken in, though newer receipts are in its place.
            #expect(try await handOver(stage, test) == Array(repeating: "taken_in", count: 12))
        }
    }

    /// What is wrong with a submission, and what its back end reads.
    struct Fault: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let change: @Sendable (inout [String: Any]) -> Void
        let state: String
    }

    @Test(
        "what is not good is rejected with a reason, is 1, and goes in once handed over in order",
        arguments: [
            Fault(
                testDescription: "another key's", change: { $0["key_id"] = Data(count: 32).base64EncodedString() },
                state: "rejected key key: expected key identifier "),
            Fault(
                testDescription: "no receipt", change: { $0["receipt"] = "MIAGCSqG" },
                state: "rejected truncated truncated: "),
            Fault(
                testDescription: "a word", change: { $0["receipt"] = "null" },
                state: "rejected not_a_receipt receipt: expected a receipt, whose first byte is 0x30, found "),
            Fault(
                testDescription: "an attestation object", change: { $0["receipt"] = "o2NmbXRvYXBwbGUtYXBwYXR0ZXN0" },
                state: "rejected attestation_object receipt: expected a receipt, found an attestation object"),
        ])
    func rejected(fault: Fault) async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 1, hasServer: false)
            #expect(try await handOver(stage, test, change: fault.change) == ["pending"])
            let (result, counts) = try await run(stage)
            #expect(result.code == .attention)
            #expect(counts["rejected"] == 1 && counts["taken_in"] == 0)
            #expect(
                result.errors.contains(
                    "attestwatch: warning: 1 receipts handed over in SQL were not taken in\nhint: attestwatch."))
            let states = try await test.texts(Self.states)
            #expect(states.count == 1 && states[0].hasPrefix(fault.state), "\(states)")
            // Told once; it stays on record.
            let (again, none) = try await run(stage)
            #expect(again.code == .success && none["rejected"] == 0)
            let status = try #require(try jsonLines(try await stage.attestwatch("status", "--json").output).first)
            #expect(status["rejected"] as? Int == 1 && status["pending"] as? Int == 0)
            // Handed over once more it is tried again, and the one that is in order goes in.
            #expect(try await handOver(stage, test, change: fault.change) == ["pending"])
            #expect(try await handOver(stage, test) == ["pending"])
            let (third, both) = try await run(stage)
            #expect(third.code == .attention && both["rejected"] == 1 && both["taken_in"] == 1)
        }
    }

    @Test("what is of an app or environment that is not here waits, is late after an hour, and can be corrected")
    func elsewhere() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 2, hasServer: false)
            let other = "A1B2C3D4E5.com.example.other"
            var isFirst = true
            let states = try await handOver(stage, test) { values in
                if isFirst { values["app_id"] = other } else { values["environment"] = "development" }
                isFirst = false
            }
            #expect(states == ["pending", "pending"])
            for isLate in [false, true] {
                let (result, counts) = try await run(stage)
                #expect(result.code == .success)
                #expect(counts["taken_in"] == 0 && counts["rejected"] == 0 && counts["pending"] == 2)
                let names = "\(Stage.appID) (development), \(other) (production)"
                #expect(
                    result.errors.contains(
                        "attestwatch: warning: 2 receipts handed over in SQL wait for a worker that has their app and "
                            + "environment (\(names))\nhint: "))
                let alerts = try await openAlerts(stage)
                #expect(alerts.map { $0["kind"] } == (isLate ? ["intake.late"] : []))
                if isLate {
                    let message = try #require(alerts.first?["message"])
                    #expect(message.hasPrefix("2 receipts handed over in SQL have waited for over 1 h, the first of "))
                    #expect(message.hasSuffix("; this configuration does not have \(names)"))
                }
                try stage.wait(.minutes(61))
            }
            #expect(try await handOver(stage, test) == ["pending", "pending"])
            let (_, counts) = try await run(stage)
            #expect(counts["taken_in"] == 2 && counts["pending"] == 0)
            #expect(try await test.texts(Self.states) == ["taken_in"])
            #expect(try await openAlerts(stage).isEmpty)
        }
    }

    @Test("what leaves its environment to the receipt waits likewise for a worker that has it, and says which it is")
    func environmentOfReceipt() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 2, hasServer: false)
            let both = try String(contentsOfFile: stage.configuration, encoding: .utf8)
            let development = both.replacing("production: {", with: "development: {")
                .replacing("signing_keys:", with: "environments: {development: {}}, signing_keys:")
            #expect(development != both)
            try stage.attestwatch.file("a.json5", development)
            #expect(try await handOver(stage, test) { $0["environment"] = nil } == ["pending", "pending"])
            // One of them would be in no environment at all.
            try await test.execute(
                "UPDATE attestwatch.intake SET receipt = '\\x30' WHERE intake_id = (SELECT min(intake_id) FROM "
                    + "attestwatch.intake)")
            let (first, counts) = try await run(stage)
            #expect(first.code == .attention)
            #expect(counts["taken_in"] == 0 && counts["rejected"] == 1 && counts["pending"] == 1)
            #expect(first.errors.contains("1 receipts handed over in SQL wait for a worker that has their app and "))
            #expect(first.errors.contains("(\(Stage.appID) (production))"))
            #expect(try await test.texts("SELECT environment FROM attestwatch.intake") == ["production"])
            try stage.wait(.minutes(61))
            let (second, none) = try await run(stage)
            #expect(second.code == .success && none["rejected"] == 0 && none["pending"] == 1)
            let alert = try #require(try await openAlerts(stage).first)
            #expect(alert["kind"] == "intake.late")
            #expect(alert["message"]?.hasSuffix("does not have \(Stage.appID) (production)") == true)

            try stage.attestwatch.file("a.json5", both)
            let (_, last) = try await run(stage)
            #expect(last["taken_in"] == 1 && last["pending"] == 0)
            #expect(try await openAlerts(stage).isEmpty)
        }
    }

    @Test("a reading that is older than its retention when its receipt is taken in is told of")
    func outdated() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 3)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            try stage.wait(.hours(2))
            #expect(try await run(stage).1["replaced"] == 3)
            try await test.execute(
                """
                INSERT INTO attestwatch.intake (app_id, key_id, receipt)
                SELECT '\(Stage.appID)', key_id, bytes FROM attestwatch.receipt;
                DELETE FROM attestwatch.attested_key;
                DELETE FROM attestwatch.metric_reading
                """)
            let settings = try String(contentsOfFile: stage.configuration, encoding: .utf8)
            try stage.attestwatch.file(
                "a.json5", settings.replacing("trust_anchors:", with: "retention: {readings: \"60d\"}, trust_anchors:"))
            try stage.wait(.days(61))
            let result = try await stage.attestwatch("refresh", "--app", Stage.appID, "--limit", "1", "--json")
            #expect(try jsonLines(result.output).first?["taken_in"] as? Int == 3)
            #expect(
                result.errors.contains(
                    "3 readings are older than retention.readings and were not kept; their receipts were"))
        }
    }

    @Test("a run that is cut off between reading and storing has lost nothing and done nothing twice")
    func cutOff() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 300, hasServer: false)
            _ = try await handOver(stage, test)
            let other = try test.anew()
            // Reading goes on, storing waits.
            try await other.execute("BEGIN; LOCK TABLE attestwatch.intake IN EXCLUSIVE MODE")
            let process = try stage.start(["refresh"], output: Pipe(), errors: Pipe())
            let waiting = """
                SELECT coalesce(max(pid), 0)::bigint FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%lock_pending%'
                """
            var session = 0
            while session == 0 {
                try #require(process.isRunning)
                session = try await test.number(waiting)
            }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            try await other.execute("COMMIT")
            // Its session sees that nobody is there once it has the lock.
            while try await test.number("SELECT count(*) FROM pg_stat_activity WHERE pid = \(session)") > 0 {}
            #expect(try await test.number("SELECT count(*) FROM attestwatch.intake") == 300)
            #expect(try await test.number("SELECT count(*) FROM attestwatch.attested_key") == 0)
            let (result, counts) = try await run(stage)
            #expect(result.code == .success && counts["taken_in"] == 300, "\(result.errors)")
            #expect(try await test.number("SELECT count(*) FROM attestwatch.attested_key") == 300)
        }
    }

    @Test("README's statements for a table that is there take all of it in, in either form, spread in the lowest rank")
    func existingTables() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 40, hasServer: false)
            let statements = try Self.readmeStatements()
            let insertions = statements.filter { $0.contains("INSERT") }
            #expect(statements.count == 3 && insertions.count == 2)
            try await test.execute(
                """
                CREATE TABLE public.app_attest_key (
                    key_id text, receipt text, device_id text, user_id text, created_at timestamptz);
                CREATE TABLE public.app_attest_key_binary (
                    key_id bytea, receipt bytea, device_id text, user_id text, created_at timestamptz)
                """)
            let lines = try jsonLines(String(contentsOfFile: stage.intake, encoding: .utf8))
            for (index, line) in lines.enumerated() {
                let (keyID, receipt) = (line["key_id"] as? String ?? "", line["receipt"] as? String ?? "")
                let (table, form) = index % 2 == 0 ? ("", "'%'") : ("_binary", "decode('%', 'base64')")
                try await test.execute(
                    """
                    INSERT INTO public.app_attest_key\(table) VALUES (\(form.replacing("%", with: keyID)),
                        \(form.replacing("%", with: receipt)), 'd-\(index)', \(index), now())
                    """)
            }
            // Rows such as real tables have: no key, no receipt, empty references.
            for (table, none) in [("", "''"), ("_binary", "''::bytea")] {
                try await test.execute(
                    """
                    INSERT INTO public.app_attest_key\(table) VALUES (\(none), \(none), '', NULL, now()),
                        (NULL, \(none), '', NULL, now()), (\(none), NULL, NULL, NULL, NULL)
                    """)
            }
            try await Self.addLarge(test)
            // Once more changes nothing.
            for statement in insertions + insertions { try await test.execute(statement) }
            let left = try #require(statements.first { !insertions.contains($0) })
            let faults = try await test.texts("SELECT split_part(fault, ':', 1) FROM (\(left)) AS l ORDER BY 1")
            #expect(
                faults == ["attested_time", "attested_time", "device_ref"] + Array(repeating: "key_id", count: 3)
                    + ["receipt", "user_ref"])
            let (result, counts) = try await run(stage)
            #expect(result.code == .success && counts["taken_in"] == 40, "\(result.errors)")
            let spread = """
                SELECT count(*) FROM attestwatch.schedule JOIN attestwatch.attested_key USING (key_id)
                WHERE rank = 4 AND due_time < now() + interval '8 days' AND device_ref IS NOT NULL
                    AND user_ref IS NOT NULL AND attested_time IS NOT NULL
                """
            #expect(try await test.number(spread) == 40)
        }
    }

    /// Rows with values that are too large for a submission, each in one.
    private static func addLarge(_ test: TestDatabase) async throws {
        for (table, key, large, receipt) in [
            ("", "encode(sha256(n::text::bytea), 'base64')", "repeat('?', 98305)", "'MIAGCSqG'"),
            ("_binary", "sha256(n::text::bytea)", "convert_to(repeat('?', 98305), 'UTF8')", "'\\x3080'::bytea"),
        ] {
            try await test.execute(
                """
                INSERT INTO public.app_attest_key\(table)
                SELECT \(key), CASE n WHEN 1 THEN \(large) ELSE \(receipt) END,
                    CASE n WHEN 2 THEN repeat('d', 513) END, CASE n WHEN 3 THEN repeat('u', 513) END,
                    CASE n WHEN 4 THEN 'infinity' WHEN 5 THEN '-infinity' ELSE now() END::timestamptz
                FROM generate_series(1, 5) AS n
                """)
        }
    }

    /// The statements of README for tables that are there, with this app: two that put in, and what is left out.
    private static func readmeStatements() throws -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        return text.components(separatedBy: "```sql\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
            .flatMap { $0.components(separatedBy: ";\n") }
            .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
            .filter { $0.contains("FROM app_attest_key") }
            .map {
                $0.replacing("TEAMID1234.com.example.app", with: Stage.appID)
                    .trimmingCharacters(in: CharacterSet(charactersIn: ";"))
            }
    }
}
