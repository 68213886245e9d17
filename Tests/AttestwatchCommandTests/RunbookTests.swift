import AttestwatchCommand
import Foundation
import Refresh
import Testing

@Suite("The runbook")
struct RunbookTests {
    private let sections: [String: [Substring]]

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "ops/RUNBOOK.md"), encoding: .utf8)
        var sections: [String: [Substring]] = [:]
        var title = ""
        for line in text.split(separator: "\n") {
            if line.hasPrefix("#") {
                title = line.trimmingCharacters(in: ["#", " "])
                sections[title] = []
            } else {
                sections[title, default: []].append(line)
            }
        }
        self.sections = sections
    }

    @Test("says of each exit code what to do, and of no other number")
    func exitCodes() {
        let numbers = sections.keys.compactMap(Int32.init)
        #expect(numbers.sorted() == ExitCode.allCases.map(\.rawValue).sorted())
        for number in numbers { #expect(sections[String(number)]?.isEmpty == false, "\(number)") }
        // What needs more than a look at the message.
        for number in [1, 69, 73, 75, 77, 78] {
            for part in ["- *Look at", "- *Do"] {
                #expect(sections[String(number)]?.contains { $0.hasPrefix(part) } == true, "\(number) \(part)")
            }
        }
        let words = sections["1"]?.joined(separator: " ") ?? ""
        for command in ["ingest", "plan --check", "forget", "quarantine list"] {
            #expect(words.contains(command), "\(command)")
        }
    }

    @Test("says of each kind of alert what it means and what to do, and of no other")
    func alerts() {
        let kinds = sections.keys.filter { $0.contains(".") && !$0.contains(" ") }
        #expect(kinds.sorted() == AlertKind.allCases.map(\.rawValue).sorted())
        for kind in kinds {
            for part in ["- *Means:*", "- *Look at:*", "- *Do:*"] {
                #expect(sections[kind]?.contains { $0.hasPrefix(part) } == true, "\(kind) \(part)")
            }
        }
    }

    /// A job that comes up, and what its section cannot do without.
    private static let jobs = [
        "Another signing key": ["signing_keys", "second", "revoke"],
        "Restoring a backup": ["attestwatch migrate", "Hand them over again", "Run erasures since the backup again"],
        "Moving to another team": ["App ID", "team_id", "quarantine drop"],
        "From one worker to many": ["state folder", "requests_per_second", "clocks"],
        "Past one PostgreSQL": ["ops/sql/partition-by-key.sql", "hash partitions", "Citus", "distribution column"],
    ]

    @Test("says how each job is done that comes up", arguments: jobs.keys.sorted())
    func job(title: String) throws {
        let words = try #require(sections[title]).joined(separator: " ")
        for part in try #require(Self.jobs[title]) { #expect(words.contains(part), "\(part)") }
    }

    @Test("names no file of this project that is not there, and no command that attestwatch has not")
    func names() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "ops/RUNBOOK.md"), encoding: .utf8)
        let files = Set(text.matches(of: /ops\/[a-z\/]+[a-z-]*\.(?:sql|sh|md)/).map { String($0.output) })
        #expect(files == ["ops/sql/partition-by-key.sql"])
        for file in files { #expect(FileManager.default.fileExists(atPath: root.appending(path: file).path)) }
        let commands = Set(text.matches(of: /(?:`|    )attestwatch ([a-z]+)/).map { String($0.1) })
        #expect(commands.count > 5)
        let runner = try CommandRunner()
        for command in commands { #expect(try await runner(command, "--help").code == .success, "\(command)") }
        try runner.remove()
    }
}
