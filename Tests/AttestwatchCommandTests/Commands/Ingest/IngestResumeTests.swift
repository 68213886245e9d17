import AttestwatchCommand
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("ingest that is interrupted")
struct IngestResumeTests {
    /// A stop that is asked for before the row of this number; each row asks once.
    private func stopping(_ stage: Stage, afterRows rows: Int) -> CommandRunner {
        var runner = stage.attestwatch
        runner.takeStopRequests = {
            let asked = Counter()
            return { asked.next() > rows }
        }
        return runner
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    private func counts(_ text: String) throws -> [String: Int] {
        try #require(try jsonLines(text).first).compactMapValues { $0 as? Int }
    }

    private func bookmarks(_ stage: Stage) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: stage.attestwatch.folder.appending(path: "state").path)
            .filter { $0.hasPrefix("ingest-") }
    }

    /// The population as CSV, with a row that is rejected first.
    private func csv(_ stage: Stage) throws -> String {
        let rows = try jsonLines(String(contentsOfFile: stage.intake, encoding: .utf8)).map { object in
            // Base64 in quotes may stand in several lines.
            "\(Stage.appID),\"\(object["key_id"] as? String ?? "")\n\",\"\(object["receipt"] as? String ?? "")\n\""
        }
        return try stage.attestwatch.file(
            "a.csv", "app_id,key_id,receipt\n,,\n\(rows.joined(separator: "\r\n"))\n")
    }

    @Test("it stores what it has read, and the same command goes on from there", arguments: ["ndjson", "csv"])
    func stop(format: String) async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 400, hasServer: false)
            let file = format == "csv" ? try csv(stage) : stage.intake
            let rejected = format == "csv" ? 1 : 0
            let first = try await stopping(stage, afterRows: 300)("ingest", file, "--json")
            #expect(first.code == .attention)
            #expect(first.errors.hasSuffix("; the same command goes on from there\n"), "\(first.errors)")
            #expect(try counts(first.output)["lines"] == 300)
            #expect(try counts(first.output)["taken_in"] == 300 - rejected)
            #expect(first.output.contains("\"complete\":false"))
            #expect(try await test.number("SELECT count(*) FROM attestwatch.receipt") == 300 - rejected)
            #expect(try bookmarks(stage).count == 1)

            let second = try await stage.attestwatch("ingest", file, "--json")
            // A row that was rejected before still needs somebody.
            #expect(second.code == (rejected == 0 ? .success : .attention))
            let line = format == "csv" ? 3 + 299 * 3 : 301
            #expect(
                second.errors
                    == "going on from line \(line): 300 rows were read before, of which \(rejected) were rejected "
                    + "(--restart begins anew)\n")
            let counted = try counts(second.output)
            #expect(counted["lines"] == 100 + rejected && counted["taken_in"] == 100 + rejected)
            #expect(counted["lines_before"] == 300 && counted["rejected_before"] == rejected)
            #expect(counted["unchanged"] == 0 && second.output.contains("\"complete\":true"))
            #expect(try await test.number("SELECT count(*) FROM attestwatch.receipt") == 400)
            #expect(try bookmarks(stage).isEmpty)

            let third = try await stage.attestwatch("ingest", file, "--json")
            #expect(try counts(third.output)["unchanged"] == 400)
        }
    }

    @Test("where it cannot go on it begins anew: the file has changed, the place is not known, it is told to")
    func anew() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 300, hasServer: false)
            let state = stage.attestwatch.folder.appending(path: "state")
            for change in ["file", "bookmark", "terms", "apps", "restart", "touch", "edit", "restore"] {
                _ = try await stopping(stage, afterRows: 260)("ingest", stage.intake)
                let bookmark = state.appending(path: try #require(try bookmarks(stage).first)).path
                var words = ["ingest", stage.intake, "--json"]
                switch change {
                case "file":
                    let text = try String(contentsOfFile: stage.intake, encoding: .utf8)
                    try (text + "\n").write(toFile: stage.intake, atomically: false, encoding: .utf8)
                case "bookmark": try "{\"input\": 7}".write(toFile: bookmark, atomically: false, encoding: .utf8)
                case "terms": words += ["--app", Stage.appID]
                case "apps":
                    let settings = try String(contentsOfFile: stage.configuration, encoding: .utf8)
                    let app = "{app_id: \"A1B2C3D4E5.com.example.new\", "
                    try stage.attestwatch.file(
                        "a.json5",
                        settings.replacing(
                            "apps: [", with: "apps: [\(app)signing_keys: [{id: \"SIMULATED2\", file: \"k.p8\"}]}, "))
                case "restart": words += ["--restart"]
                case "edit", "restore": try Self.change(stage.intake, in: stage, restoring: change == "restore")
                default:
                    try FileManager.default.setAttributes(
                        [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: stage.intake)
                }
                let result = try await stage.attestwatch.run(words)
                #expect(result.errors == "", "\(change)")
                #expect(try counts(result.output)["lines"] == 300, "\(change)")
                // That of a file that is there no more stays, and says nothing of another.
                #expect(try bookmarks(stage).count == (change == "restore" ? 1 : 0), "\(change)")
            }
        }
    }

    /// Changes a row that was read, behind the beginning of the file, and leaves size and time of modification as they
    /// were: in place, or in a copy that is put in its place.
    private static func change(_ path: String, in stage: Stage, restoring: Bool) throws {
        let before = try FileManager.default.attributesOfItem(atPath: path)
        let copy = "\(path).copy"
        try? FileManager.default.removeItem(atPath: copy)
        #expect(try runTool("cp", ["-p", path, copy]).status == 0)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let word = text.contains("user-000200") ? "user-000200" : "USER-000200"
        let changed = text.replacing(word, with: word.contains("u") ? word.uppercased() : word.lowercased())
        let place = try #require(text.firstRange(of: word)).lowerBound
        #expect(text.utf8.distance(from: text.startIndex, to: place) > 1 << 16)
        if restoring {
            try changed.write(toFile: copy, atomically: false, encoding: .utf8)
            #expect(try runTool("touch", ["-r", path, copy]).status == 0)
            #expect(try runTool("mv", [copy, path]).status == 0)
        } else {
            try changed.write(toFile: path, atomically: false, encoding: .utf8)
            #expect(try runTool("touch", ["-r", copy, path]).status == 0)
        }
        let after = try FileManager.default.attributesOfItem(atPath: path)
        #expect(after[.size] as? Int == before[.size] as? Int)
        #expect(after[.modificationDate] as? Date == before[.modificationDate] as? Date)
    }

    @Test("another database is another place: nothing is passed over there")
    func otherDatabase() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 300, hasServer: false)
            _ = try await stopping(stage, afterRows: 260)("ingest", stage.intake)
            // What a database is known by is when its schema was made.
            try await test.execute(
                "UPDATE attestwatch.schema_migration SET applied_time = applied_time + interval '1 second'")
            let result = try await stage.attestwatch("ingest", stage.intake, "--json")
            #expect(result.errors == "")
            #expect(try counts(result.output)["lines"] == 300)
        }
    }

    @Test("a database that went back to before what was stored has all rows read anew")
    func restoredDatabase() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 300, hasServer: false)
            _ = try await stopping(stage, afterRows: 260)("ingest", stage.intake)
            try await test.execute("DELETE FROM attestwatch.attested_key")
            let result = try await stage.attestwatch("ingest", stage.intake, "--json")
            #expect(
                result.errors
                    == "attestwatch: warning: the database does not have what was stored last: all rows are read anew\n"
            )
            #expect(try counts(result.output)["taken_in"] == 300)
        }
    }

    @Test("standard input and a machine without a state folder cannot go on, and say so")
    func noPlace() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 300, hasServer: false)
            let text = try String(contentsOfFile: stage.intake, encoding: .utf8)
            let piped = try await stopping(stage, afterRows: 260).run(["ingest", "-"], input: text)
            #expect(
                piped.errors
                    == "attestwatch: warning: asked to stop before line 261; the same command begins anew, and finds "
                    + "what is stored unchanged\n")
            var runner = stopping(stage, afterRows: 260)
            runner.environment["STATE_DIRECTORY"] = nil
            let bare = try await runner("ingest", stage.intake)
            #expect(
                bare.errors.hasPrefix(
                    "attestwatch: warning: no state_directory is set: should this be interrupted, it is to begin anew\n"
                ))
            #expect(bare.errors.contains("the same command begins anew"))
            let folder = stage.attestwatch.folder.appending(path: "open").path
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
            runner.environment["STATE_DIRECTORY"] = folder
            let open = try await runner("ingest", stage.intake)
            #expect(open.errors.hasPrefix("attestwatch: warning: cannot use the state folder \(folder): expected mode"))
        }
    }

    @Test("a quote that nothing ends is the end with 66, no row behind it is passed over, and mended it goes on")
    func unclosedQuote() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 300, hasServer: false)
            let file = try csv(stage)
            let good = try String(contentsOfFile: file, encoding: .utf8).replacing("\r\n", with: "\n")
            // The field that ends in the last line of row 262: its quote is lost.
            var lines = good.components(separatedBy: "\n")
            let row = 2 + 3 * 260
            try #require(lines.count > row + 2 && lines[row + 2] == "\"")
            lines.removeSubrange((row + 2)...)
            let rest = (0..<20).map { "A1B2C3D4E5.com.example.app,\($0),x" }
            try (lines + rest).joined(separator: "\n").write(toFile: file, atomically: false, encoding: .utf8)
            for _ in 0..<2 {
                let result = try await stage.attestwatch("ingest", file, "--rejects", "/dev/null")
                #expect(result.code == .inputUnreadable)
                #expect(
                    result.errors.contains(
                        "attestwatch: error: \(file): expected a quote that ends the field that begins in line "
                            + "\(row + 2), found none up to line \(lines.count + rest.count)\nhint: mend that line; "),
                    "\(result.errors)")
                #expect(try await test.number("SELECT count(*) FROM attestwatch.receipt") == 260)
            }
            try good.write(toFile: file, atomically: false, encoding: .utf8)
            let result = try await stage.attestwatch("ingest", file, "--json", "--rejects", "/dev/null")
            let counted = try counts(result.output)
            #expect(counted["unchanged"] == 260 && counted["taken_in"] == 40 && counted["rejected"] == 1)
        }
    }
}
