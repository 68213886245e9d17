import AttestwatchCommand
import Foundation
import TestSupport
import Testing

@Suite("Rows that ingest rejects")
struct IngestRejectTests {
    @Test("each goes to the file of --rejects with line, reason, detail, app and key, and nothing of its receipt")
    func rejects() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 3, hasServer: false)
            let objects = try jsonLines(String(contentsOfFile: stage.intake, encoding: .utf8))
            let receipts = try objects.map { try #require($0["receipt"] as? String) }
            let keys = try objects.map { try #require($0["key_id"] as? String) }
            let text = """
                app_id,key_id,receipt,device_ref
                \(Stage.appID),\(keys[0]),MAA=,
                \(Stage.appID),"\(keys[0])"x,\(receipts[0]),
                \(Stage.appID),\(keys[0]),\(receipts[0])
                \(Stage.appID),\(receipts[0]),\(keys[0]),
                Z1B2C3D4E5.com.example.app,\(keys[0]),\(receipts[0]),
                \(Stage.appID),\(keys[1]),\(receipts[0]),
                \(Stage.appID),\(keys[0]),\(receipts[0]),\(String(repeating: "d", count: 513))
                \(Stage.appID),\(keys[2]),\(receipts[2]),
                """
            let file = try stage.attestwatch.file("a.csv", text)
            let rejects = stage.attestwatch.folder.appending(path: "rejects.ndjson").path
            let result = try await stage.attestwatch("ingest", file, "--rejects", rejects)
            #expect(result.code == .attention && result.errors == "")
            let lines = try jsonLines(String(contentsOfFile: rejects, encoding: .utf8))
            #expect(lines.map { $0["line"] as? Int } == [2, 3, 4, 5, 6, 7, 8])
            let reasons = lines.map { $0["reason"] as? String }
            #expect(
                reasons == [
                    "missing_element", "not_csv", "field_count", "bad_key_id", "app_not_configured", "key",
                    "bad_device_ref",
                ])
            #expect(lines.allSatisfy { Set($0.keys) == ["line", "reason", "detail", "app_id", "key_id"] })
            #expect(lines[0]["key_id"] as? String == keys[0] && lines[0]["app_id"] as? String == Stage.appID)
            #expect(lines[1]["key_id"] is NSNull && lines[1]["app_id"] is NSNull)
            // What stands where a key should may be anything.
            #expect(lines[3]["key_id"] is NSNull)
            #expect((lines[2]["detail"] as? String) == "expected 4 fields as in the header, found 3")
            #expect((lines[4]["app_id"] as? String) == "Z1B2C3D4E5.com.example.app")
            let written = try String(contentsOfFile: rejects, encoding: .utf8)
            #expect(!receipts.contains { written.contains($0.prefix(40)) })
            #expect(result.output.contains("rejected       7  by reason below\n\nREJECTED FOR        COUNT\n"))
            #expect(result.output.contains("field_count             1\n"))
            let mode = try FileManager.default.attributesOfItem(atPath: rejects)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            // Another run adds to the file.
            let again = try await stage.attestwatch("ingest", file, "--rejects", rejects, "--json")
            #expect(try jsonLines(String(contentsOfFile: rejects, encoding: .utf8)).count == 14)
            let counts = try #require(try jsonLines(again.output).first)
            #expect(counts["rejected"] as? Int == 7 && counts["unchanged"] as? Int == 1)
            #expect((counts["rejected_for"] as? [String: Int])?.count == 7)
        }
    }

    @Test("without a file the first twenty are told, and the others counted, in memory that does not grow with them")
    func flood() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 1, hasServer: false)
            let line = "{\"app_id\": \"\(Stage.appID)\", \"key_id\": \"AAAA\", \"receipt\": \"MAA=\"}\n"
            let good = try String(contentsOfFile: stage.intake, encoding: .utf8)
            let input = String(repeating: line, count: 1_000) + "[]\n" + good
            let result = try await stage.attestwatch.run(["ingest", "-", "--json"], input: input)
            let notes = result.errors.split(separator: "\n")
            #expect(notes.count == 21 && notes[19].hasPrefix("line 20: rejected: key_id: expected 32 bytes"))
            #expect(notes[20] == "further rejections are only counted; --rejects FILE takes all of them")
            let counts = try #require(try jsonLines(result.output).first)
            #expect(counts["rejected"] as? Int == 1_001 && counts["taken_in"] as? Int == 1)
            #expect(counts["rejected_for"] as? [String: Int] == ["bad_key_id": 1_000, "not_an_object": 1])
        }
    }

    @Test("a file for them that cannot be written ends it before anything is read")
    func unwritable() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 1, hasServer: false)
            let result = try await stage.attestwatch("ingest", stage.intake, "--rejects", "/nowhere/x")
            #expect(result.code == .attention)
            #expect(result.errors == "attestwatch: error: cannot write to /nowhere/x: no such file or directory\n")
            #expect(try await test.number("SELECT count(*) FROM attestwatch.attested_key") == 0)
        }
    }

    @Test("--spread puts new keys in the lowest rank over its time, and explain says so")
    func spread() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 200, hasServer: false)
            for wrong in ["30m", "61d", "7", "x"] {
                let result = try await stage.attestwatch("ingest", stage.intake, "--spread", wrong)
                #expect(result.code == .usage)
                let message = "--spread: expected a time from 1h to 60d, such as 7d, found '\(wrong)'"
                #expect(result.errors.contains(message))
            }
            #expect(try await stage.attestwatch("ingest", stage.intake, "--spread", "7d").code == .success)
            #expect(try await test.texts("SELECT DISTINCT rank::text FROM attestwatch.schedule") == ["4"])
            let busiest = try await test.number(
                """
                SELECT max(d.count) FROM (
                    SELECT count(*) FROM attestwatch.schedule GROUP BY date_trunc('day', due_time)) AS d
                """)
            #expect((29...60).contains(busiest))
            let explained = try await stage.attestwatch("explain", "device-000001")
            #expect(explained.output.contains("rank background"), "\(explained.output)")
            #expect(explained.output.contains("taken in with a back-fill: its first reading is somewhere in the time"))
            let plan = try #require(try jsonLines(try await stage.attestwatch("plan", "--json").output).first)
            let server = try #require((plan["data_servers"] as? [[String: Any]])?.first)
            let kinds = try #require(server["calls_a_day_by_kind"] as? [String: Int])
            #expect(kinds["first_reading"] == 7 && kinds["background"] == 0)
        }
    }
}
