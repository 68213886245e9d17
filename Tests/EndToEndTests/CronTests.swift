import Foundation
import SimulatedDataServer
import TestSupport
import Testing

@Suite("A run from cron", .ownThreads)
struct CronTests {
    private static let plan = PopulationPlan(devices: 30, appID: Operator.appID, environment: .production)

    /// What the file in `ops/cron` says, read as cron(8) reads a file of /etc/cron.d.
    private struct Table {
        var variables: [String: String] = [:]
        var lines: [(times: [Substring], user: Substring, command: String)] = []

        init() throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appending(path: "ops/cron/attestwatch")
            let text = try String(contentsOf: file, encoding: .utf8)
            // cron ignores a last line that does not end.
            #expect(text.hasSuffix("\n"))
            for line in text.split(separator: "\n") where !line.hasPrefix("#") {
                if let variable = line.wholeMatch(of: /([A-Z_]+)=(.*)/) {
                    variables[String(variable.1)] = String(variable.2)
                } else {
                    let fields = line.split(separator: " ", maxSplits: 6)
                    try #require(fields.count == 7, "\(line)")
                    lines.append((Array(fields[..<5]), fields[5], String(fields[6])))
                }
            }
        }
    }

    @Test("the file is one that cron takes")
    func table() throws {
        let table = try Table()
        #expect(table.variables["SHELL"] == "/bin/sh" && table.variables["MAILTO"] != nil)
        #expect(!table.lines.isEmpty)
        for line in table.lines {
            #expect(line.times.allSatisfy { $0.wholeMatch(of: /(\*|\d+)(\/\d+)?/) != nil }, "\(line)")
            #expect(line.user == "attestwatch")
            // A % would be the end of the line, and what follows it standard input.
            #expect(line.command.hasPrefix("/usr/local/bin/attestwatch ") && !line.command.contains("%"))
        }
    }

    /// Runs the first line's command as cron does: by its shell, with its few variables and little else.
    private func cron(_ simulator: Simulator) throws -> ToolResult {
        let table = try Table()
        let command = try #require(table.lines.first).command.replacing(
            "/usr/local/bin/attestwatch", with: productPath("attestwatch-timelapse"))
        let variables = table.variables.merging([
            "HOME": simulator.directory, "LOGNAME": "attestwatch",
            // Only here: which configuration, and what time it is.
            "ATTESTWATCH_CONFIG": "\(simulator.directory)/attestwatch.json5",
            "ATTESTWATCH_TIMELAPSE_CLOCK": simulator.clockFile,
        ]) { _, new in new }
        let shell = try #require(variables["SHELL"])
        return try runTool(shell, ["-c", command], environment: variables)
    }

    @Test("a run that goes well is silent, with work to do and without")
    func silent() async throws {
        try await TestDatabase.migrated { database in
            let simulator = try Simulator(Self.plan)
            let person = try Operator(simulator, database)
            #expect(try person.run("ingest", simulator.intakeFile).status == 0)
            try simulator.moveClock(toOffsetSeconds: 7_200)
            for _ in 1...2 {
                let ending = try cron(simulator)
                #expect(ending.status == 0 && ending.text == "" && ending.errors == "", "\(ending.errors)")
            }
            #expect(try simulator.ledger().count == 30)
            #expect(try person.run("status", "--json").count("fresh") == 30)
        }
    }

    /// A sort of trouble, the exit code that goes with it, and the line that cron mails.
    struct Trouble: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var scenario: String?
        var arrange: @Sendable (Simulator, TestDatabase) async throws -> Void = { _, _ in }
        let code: Int32
        let line: String
    }

    @Test(
        "what needs a person is mailed, and nothing beside it",
        arguments: [
            Trouble(
                testDescription: "a credential that is refused", scenario: #"{"faults": [{"status": 401}]}"#, code: 77,
                line: "attestwatch: error: "),
            Trouble(
                testDescription: "answers that do not verify",
                scenario:
                    #"{"faults": [{"match": {"first_request": 5, "last_request": 5}, "body": "damaged_signature"}]}"#,
                code: 1, line: "attestwatch: warning: expected answers that verify, found 1 that do not"),
            Trouble(
                testDescription: "a database that refuses",
                arrange: { simulator, _ in
                    let file = "\(simulator.directory)/attestwatch.json5"
                    let text = try String(contentsOfFile: file, encoding: .utf8)
                    try Data(text.replacing("dbname=", with: "dbname=no").utf8).write(to: URL(filePath: file))
                }, code: 75, line: "attestwatch: error: the database is not available: "),
            Trouble(
                testDescription: "a configuration that is gone",
                arrange: { simulator, _ in
                    try FileManager.default.removeItem(atPath: "\(simulator.directory)/attestwatch.json5")
                }, code: 78, line: "attestwatch: error: cannot read the configuration "),
        ])
    func mailed(_ trouble: Trouble) async throws {
        try await TestDatabase.migrated { database in
            let simulator = try Simulator(Self.plan, scenario: trouble.scenario)
            let person = try Operator(simulator, database)
            #expect(try person.run("ingest", simulator.intakeFile).status == 0)
            try simulator.moveClock(toOffsetSeconds: 7_200)
            try await trouble.arrange(simulator, database)
            let ending = try cron(simulator)
            #expect(ending.status == trouble.code, "\(ending.errors)")
            #expect(ending.text == "")
            #expect(ending.errors.contains(trouble.line), "\(ending.errors)")
            #expect(ending.errors.split(separator: "\n").allSatisfy { $0.contains(/^(attestwatch: |hint: )/) })
        }
    }

    @Test("--quiet shows no progress on a terminal either, and does not go with --json")
    func terminal() async throws {
        try await TestDatabase.migrated { database in
            let simulator = try Simulator(Self.plan)
            let person = try Operator(simulator, database)
            #expect(try person.run("ingest", simulator.intakeFile).status == 0)
            try simulator.moveClock(toOffsetSeconds: 7_200)
            let ending = try person.runOnTerminal("refresh", "--quiet")
            #expect(ending.status == 0 && ending.output == "" && ending.errors == "")
            #expect(try simulator.ledger().count == 30)
            let both = try person.run("refresh", "--quiet", "--json")
            #expect(both.status == 64 && both.errors.contains("expected one of --json and --quiet, found both"))
        }
    }
}
