import AttestwatchCommand
import Foundation
import TestSupport
import Testing

@Suite("ingest")
struct IngestCommandTests {
    private func counts(_ text: String) throws -> [String: Int] {
        try #require(try jsonLines(text).first).compactMapValues { $0 as? Int }
    }

    /// The population's lines with one member of the first changed; nil takes it out.
    private func changed(_ stage: Stage, _ key: String, _ value: Any?) throws -> String {
        var object = try #require(try jsonLines(String(contentsOfFile: stage.intake, encoding: .utf8)).first)
        object[key] = value
        return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self) + "\n"
    }

    @Test("every line is taken in once; a second time changes nothing")
    func twice() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 300, keysPerDevice: 2, hasServer: false)
            let first = try await stage.attestwatch("ingest", stage.intake, "--json")
            #expect(first.errors == "")
            #expect(first.code == .success)
            #expect(try counts(first.output)["taken_in"] == 600)
            let text = try String(contentsOfFile: stage.intake, encoding: .utf8)
            let second = try await stage.attestwatch.run(["ingest", "-", "--json"], input: "\n" + text + "  \n")
            #expect(second.code == .success)
            #expect(try counts(second.output)["unchanged"] == 600)
            #expect(try counts(second.output)["lines"] == 600)
            let status = try await stage.attestwatch("status", "--json")
            #expect(try jsonLines(status.output).first?["unknown"] as? Int == 600)
        }
    }

    @Test("what is not taken in is named with its line and the reason, and the rest goes in")
    func rejections() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 1, hasServer: false)
            let table: [(line: String, reason: String)] = [
                ("{\"app_id\": \n", "column 12: expected a value, found the end of the text"),
                ("[]\n", "expected a JSON object, found an array"),
                (try changed(stage, "device_reff", "x"), "unknown key 'device_reff'; did you mean 'device_ref'?"),
                (try changed(stage, "key_id", nil), "key_id: expected 32 bytes in base64 or hexadecimal, found none"),
                (try changed(stage, "key_id", 7), "key_id: expected a string, found an integer"),
                (
                    try changed(stage, "key_id", "AAAA"),
                    "key_id: expected 32 bytes in base64 or hexadecimal, found another string"
                ),
                (try changed(stage, "key_id", Data(count: 32).base64EncodedString()), "key: expected key identifier"),
                (try changed(stage, "receipt", "AAAA"), "receipt: expected a receipt"),
                (try changed(stage, "receipt", "MAA="), "missing_element: "),
                (
                    try changed(stage, "app_id", "Z1B2C3D4E5.com.example.app"),
                    "app_id: expected a configured app, found Z1B2C3D4E5.com.example.app"
                ),
                (
                    try changed(stage, "environment", "development"),
                    "environment: expected one that the configuration accepts for \(Stage.appID), found development"
                ),
                (
                    try changed(stage, "environment", "sandbox"),
                    "environment: expected production or development, found another string"
                ),
                (
                    try changed(stage, "attested_time", "yesterday"),
                    "attested_time: expected a time such as 2026-10-09T07:25:21Z or 2026-10-09 07:25:21+00, "
                        + "found another string"
                ),
                (
                    try changed(stage, "attested_time", "2999-01-01T00:00:00Z"),
                    "attested_time: expected a time no more than a day after now, "
                ),
                (
                    try changed(stage, String(repeating: "x", count: 100_000), "x"),
                    "unknown key '\(String(repeating: "x", count: 60))…'"
                ),
                (
                    try changed(stage, "device_ref", ""),
                    "device_ref: expected 1 to 512 bytes without NUL, found none, more, or one with it"
                ),
                (
                    try changed(stage, "user_ref", String(repeating: "u", count: 300_000)),
                    "expected a line of at most 262144 bytes, found a longer one"
                ),
            ]
            let good = try changed(stage, "device_ref", NSNull())
            let input = table.map(\.line).joined() + good
            let result = try await stage.attestwatch.run(["ingest", "-", "--json"], input: input)
            #expect(result.code == .attention)
            let counts = try counts(result.output)
            #expect(counts["rejected"] == table.count)
            #expect(counts["taken_in"] == 1)
            let notes = result.errors.split(separator: "\n")
            #expect(notes.count == table.count)
            for (index, (row, note)) in zip(table, notes).enumerated() {
                #expect(note.hasPrefix("line \(index + 1): rejected: \(row.reason)"), "\(note)")
            }
            #expect(!result.errors.contains("MIAGCSq"))
        }
    }

    @Test("another device_ref than the one on record is left aside, counted, and told once")
    func ignoredReference() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 2, hasServer: false)
            let first = try await stage.attestwatch("ingest", stage.intake, "--json")
            #expect(try counts(first.output)["device_refs_ignored"] == 0)
            let other = try changed(stage, "device_ref", "another")
            let result = try await stage.attestwatch.run(["ingest", "-", "--json"], input: other)
            #expect(result.code == .success)
            #expect(try counts(result.output)["device_refs_ignored"] == 1)
            #expect(
                result.errors
                    == "attestwatch: warning: 1 rows name another device_ref than the one on record\n")
            let unnamed = try changed(stage, "device_ref", nil)
            let silent = try await stage.attestwatch.run(["ingest", "-", "--json"], input: unnamed)
            #expect(try counts(silent.output)["device_refs_ignored"] == 0)
            #expect(silent.errors == "")
        }
    }

    @Test("a receipt in any flavour of base64 goes in, and out to the data server as the same bytes")
    func flavours() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 4)
            var objects = try jsonLines(String(contentsOfFile: stage.intake, encoding: .utf8))
            for index in objects.indices {
                let receipt = try #require((objects[index]["receipt"] as? String).flatMap { Data(base64Encoded: $0) })
                let text = receipt.base64EncodedString()
                let urlSafe = text.replacing("+", with: "-").replacing("/", with: "_")
                let flavours = [
                    text, urlSafe.filter { $0 != "=" }, text.filter { $0 != "=" },
                    receipt.base64EncodedString(options: [
                        .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
                    ]) + "\r\n",
                ]
                objects[index]["receipt"] = flavours[index]
            }
            let lines = try objects.map { object in
                String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
            }
            let result = try await stage.attestwatch.run(
                ["ingest", "-", "--json"], input: lines.joined(separator: "\r\n") + "\r\n")
            #expect(result.errors == "")
            #expect(try counts(result.output)["taken_in"] == 4)
            try stage.wait(.hours(2))
            #expect(try await stage.attestwatch("refresh", "--json").code == .success)
            let sent = try stage.ledger().compactMap(\.sentDigest)
            let minted = stage.population.population.devices.flatMap(\.keys).map(\.receiptDigest)
            #expect(sent.sorted() == minted.sorted())
        }
    }

    @Test("a file that cannot be read is 66, a database without the schema 75")
    func failures() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 1, hasServer: false)
            let result = try await stage.attestwatch("ingest", "/nowhere/x")
            #expect(result.code == .inputUnreadable)
            #expect(result.errors.hasPrefix("attestwatch: error: cannot read /nowhere/x: no such file or directory\n"))
        }
        try await TestDatabase.empty { test in
            let stage = try Stage(test, devices: 1, hasServer: false)
            for command in [["ingest", stage.intake], ["flags"], ["status"], ["refresh"]] {
                let result = try await stage.attestwatch.run(command)
                #expect(result.code == .database)
                #expect(result.errors.contains("hint: run 'attestwatch migrate'\n"))
            }
        }
    }
}
