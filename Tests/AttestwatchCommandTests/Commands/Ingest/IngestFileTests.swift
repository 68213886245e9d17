import AttestwatchCommand
import Foundation
import TestSupport
import Testing

@Suite("ingest of a back end's own files")
struct IngestFileTests {
    private typealias Row = [String: String]

    private static let columns = [
        "app_id", "key_id", "receipt", "environment", "device_ref", "user_ref", "attested_time",
    ]

    private func rows(_ stage: Stage) throws -> [Row] {
        try jsonLines(String(contentsOfFile: stage.intake, encoding: .utf8)).map { object in
            object.compactMapValues { $0 as? String }
        }
    }

    private func quoted(_ text: String) -> String { "\"\(text.replacing("\"", with: "\"\""))\"" }

    private func csv(_ rows: [Row], _ columns: [String] = columns, end: String = "\n") -> String {
        ([columns] + rows.map { row in columns.map { row[$0].map(quoted) ?? "" } })
            .map { $0.joined(separator: ",") + end }.joined()
    }

    private func hexadecimal(_ base64: String?) throws -> String {
        let bytes = try #require(base64.flatMap { Data(base64Encoded: $0) })
        return "\\x" + bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// What `COPY … CSV HEADER` prints of a table with these columns.
    private func copied(_ rows: [Row]) throws -> [Row] {
        try rows.map { row in
            var row = row
            row["key_id"] = try hexadecimal(row["key_id"])
            row["receipt"] = try hexadecimal(row["receipt"])
            row["attested_time"] = row["attested_time"]?.replacing("T", with: " ").replacing("Z", with: "+00")
            return row
        }
    }

    private let facts = """
        SELECT concat_ws('|', encode(k.key_id, 'hex'), k.app_id, k.environment, k.device_ref, k.user_ref,
            k.attested_time, encode(sha256(r.bytes), 'hex'))
        FROM attestwatch.attested_key k JOIN attestwatch.receipt r USING (key_id) ORDER BY k.key_id
        """

    @Test("CSV of every shape goes in as the same rows of JSON do: PostgreSQL's, a spreadsheet's, a program's")
    func shapes() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 5, hasServer: false)
            var rows = try rows(stage)
            rows[0]["device_ref"] = "phone, \"4711\"\r\nof é"
            rows[1]["user_ref"] = nil
            let ndjson = try rows.map { row in
                String(decoding: try JSONSerialization.data(withJSONObject: row), as: UTF8.self) + "\n"
            }.joined()
            #expect(try await stage.attestwatch.run(["ingest", "-"], input: ndjson).code == .success)
            let expected = try await test.texts(facts)
            #expect(expected.count == 5)
            let urlSafe = rows.map { row in
                var row = row
                for name in ["key_id", "receipt"] {
                    row[name] = row[name]?.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
                }
                return row
            }
            let bare = rows.map { row in row.mapValues { $0.contains("\"") ? quoted($0) : $0 } }
            for (name, text) in [
                ("copied.csv", csv(try copied(rows))),
                ("sheet.csv", "\u{feff}" + csv(rows, Self.columns.reversed(), end: "\r\n")),
                ("program", csv(urlSafe, ["receipt", "key_id", "app_id", "device_ref", "user_ref", "attested_time"])),
                (
                    "bare.csv",
                    ([Self.columns] + bare.map { row in Self.columns.map { row[$0] ?? "" } })
                        .map { $0.joined(separator: ",") }.joined(separator: "\n")
                ),
            ] {
                try await test.execute("TRUNCATE attestwatch.attested_key CASCADE")
                let result = try await stage.attestwatch("ingest", stage.attestwatch.file(name, text), "--json")
                #expect(result.errors == "" && result.code == .success, "\(name)")
                #expect(try await test.texts(facts) == expected, "\(name)")
            }
        }
    }

    @Test("the format is told by --format, else by the file's name, else by the first byte")
    func formats() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 1, hasServer: false)
            let (json, csv) = (try String(contentsOfFile: stage.intake, encoding: .utf8), csv(try rows(stage)))
            for (name, text, words, code) in [
                ("a.csv", csv, [], ExitCode.success), ("a.CSV", csv, [], .success), ("a.txt", csv, [], .success),
                ("a.ndjson", json, [], .success), ("a.jsonl", json, [], .success), ("a", "\n \(json)", [], .success),
                ("a", "\u{feff}\(json)", [], .success), ("a", "", [], .success),
                ("b.csv", json, [], .inputUnreadable), ("b.csv", json, ["--format", "ndjson"], .success),
                ("b.json", csv, [], .attention), ("b.json", csv, ["--format=csv"], .success),
                ("a.csv", "", [], .inputUnreadable),
            ] as [(String, String, [String], ExitCode)] {
                let file = try stage.attestwatch.file(name, text)
                let result = try await stage.attestwatch.run(["ingest", file] + words)
                #expect(result.code == code, "\(name) \(words): \(result.errors)")
            }
            let piped = try await stage.attestwatch.run(["ingest", "-", "--json"], input: csv)
            #expect(piped.code == .success && piped.output.contains("\"unchanged\":1,"))
        }
    }

    @Test(
        "a header that is wrong ends it with 66, says what was expected and found, and nothing is read",
        arguments: [
            ("", "expected a header line that names the columns, found nothing", "the first line names the columns"),
            ("app_id,key,receipt", "found 'key'", "the first line names the columns"),
            ("app_id,keyid,receipt", "found 'keyid'", "did you mean 'key_id'?"),
            ("app_id;key_id;receipt", "found 'app_id;key_id;receip…'", "the first line names the columns"),
            ("APP_ID,key_id,receipt", "found 'APP_ID'", "the first line names the columns"),
            ("app_id,key_id,receipt,", "found ''", "the first line names the columns"),
            ("app_id,key_id,key_id,receipt", "expected column key_id once, found it again", "the first line names"),
            ("key_id,receipt", "expected a column app_id, found none", "name the app with --app"),
            ("app_id,receipt", "expected a column key_id, found none", "the first line names the columns"),
            ("app_id,key_id,user_ref", "expected a column receipt, found none", "the first line names the columns"),
            ("app_id,\"key_id,receipt", "in the header line: expected a quote that ends the field", "the first line"),
        ])
    func headers(header: String, message: String, hint: String) async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 1, hasServer: false)
            let row = try #require(try rows(stage).first)
            let line = header.split(separator: ",").map { row[String($0)] ?? "x" }.joined(separator: ",")
            let file = try stage.attestwatch.file("a.csv", header.isEmpty ? "" : "\(header)\n\(line)\n")
            let result = try await stage.attestwatch("ingest", file)
            #expect(result.code == .inputUnreadable)
            #expect(result.errors.hasPrefix("attestwatch: error: \(file): "), "\(result.errors)")
            #expect(result.errors.contains(message) && result.errors.contains("\nhint: \(hint)"), "\(result.errors)")
            #expect(result.output == "")
            #expect(try await test.number("SELECT count(*) FROM attestwatch.attested_key") == 0)
        }
    }

    @Test("of a file without a header hardly anything is repeated")
    func noHeader() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 1, hasServer: false)
            let row = try #require(try rows(stage).first)
            let text = [row["receipt"], row["key_id"], row["app_id"]].compactMap { $0 }.joined(separator: ",")
            let result = try await stage.attestwatch("ingest", stage.attestwatch.file("a.csv", text + "\n"))
            #expect(result.code == .inputUnreadable)
            #expect(!result.errors.contains(try #require(row["receipt"]).prefix(21)))
        }
    }

    @Test("--app and --environment stand for what rows leave out, and for nothing else")
    func given() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 2, hasServer: false)
            let rows = try rows(stage)
            let short = try stage.attestwatch.file("a.csv", csv(rows, ["key_id", "receipt"]))
            let result = try await stage.attestwatch("ingest", short, "--app", Stage.appID, "--json")
            #expect(result.code == .success && result.output.contains("\"taken_in\":2,"), "\(result.errors)")
            let other = try await stage.attestwatch(
                "ingest", short, "--app", Stage.appID, "--environment", "development")
            #expect(other.code == .attention)
            #expect(other.errors.contains("line 2: rejected: environment: expected one that the configuration accepts"))
            let unknown = try await stage.attestwatch("ingest", short, "--app", "Z1B2C3D4E5.com.example.app")
            #expect(unknown.code == .usage)
            #expect(
                unknown.errors.hasPrefix(
                    "attestwatch: error: --app: expected a configured App ID, found 'Z1B2C3D4E5.com.example.app'\n"))
            let said = try await stage.attestwatch("ingest", stage.intake, "--environment", "development", "--json")
            #expect(said.code == .success && said.output.contains("\"unchanged\":2,"))
        }
    }

    @Test("times are taken as RFC 3339 and as PostgreSQL print them, and as nothing else")
    func times() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 8, hasServer: false)
            var rows = try rows(stage)
            let texts = [
                "2026-03-01T10:00:00Z", "2026-03-01 10:00:00+00", "2026-03-01 15:30:00+05:30",
                "2026-03-01 02:00:00.5-08", "2026-03-01 10:00:00", "2026-03-01", "01.03.2026 10:00:00+00", "infinity",
            ]
            for index in rows.indices { rows[index]["attested_time"] = texts[index] }
            let result = try await stage.attestwatch("ingest", stage.attestwatch.file("a.csv", csv(rows)), "--json")
            #expect(result.output.contains(#""rejected_for":{"bad_attested_time":4}"#), "\(result.errors)")
            let stored = try await test.texts(
                """
                SELECT (attested_time AT TIME ZONE 'UTC')::text FROM attestwatch.attested_key
                ORDER BY device_ref
                """)
            #expect(
                stored == [
                    "2026-03-01 10:00:00", "2026-03-01 10:00:00", "2026-03-01 10:00:00", "2026-03-01 10:00:00.5",
                ])
        }
    }
}
