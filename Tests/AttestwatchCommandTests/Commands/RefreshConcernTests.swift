import AppAttest
import AttestwatchCommand
import Foundation
import Postgres
import TestSupport
import Testing

@Suite("What refresh says when something is wrong with the whole fleet")
struct RefreshConcernTests {
    /// A data server whose answers all go wrong in one way, and what the run makes of it.
    struct Fault: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var scenario = "{}"
        var swapsServers = false
        let code: ExitCode
        let count: (name: String, value: Int)
        let message: String
    }

    private static let faults = [
        Fault(
            testDescription: "answers with another metric than was signed",
            scenario: #"{"faults": [{"body": "changed_metric"}]}"#, code: .credentialRefused, count: ("held", 5),
            message: "error: the data server's answers do not verify (signature), whichever receipt was tried (team "),
        Fault(
            testDescription: "receipts of other keys",
            scenario: #"{"faults": [{"body": "other_key"}]}"#, code: .credentialRefused, count: ("held", 5),
            message: "error: the data server's answers do not verify (key), whichever receipt was tried (team "),
        Fault(
            testDescription: "400",
            scenario: #"{"faults": [{"status": 400}]}"#, code: .credentialRefused, count: ("held", 5),
            message: "error: the data server refused the requests (400), whichever receipt was tried (team "),
        Fault(
            testDescription: "400, incorrect environment", swapsServers: true, code: .credentialRefused,
            count: ("held", 5),
            message: "error: the data server says of every receipt that was tried that it belongs to the other "
                + "environment (400) (team A1B2C3D4E5 (production), key SIMULATED1); nobody was charged for it\n"),
        Fault(
            testDescription: "only 503", scenario: #"{"faults": [{"status": 503}]}"#, code: .dataServerUnavailable,
            count: ("failed", 5),
            message: "error: the data server for production answered nothing of use: server_failure\nhint: "),
        Fault(
            testDescription: "only login pages", scenario: #"{"faults": [{"body": "html"}]}"#,
            code: .dataServerUnavailable, count: ("failed", 5),
            message: "error: the data server for production answered nothing of use: not_base64\nhint: "),
        Fault(
            testDescription: "only redirects", scenario: #"{"faults": [{"status": 302}]}"#,
            code: .dataServerUnavailable, count: ("failed", 5),
            message: "error: the data server for production answered nothing of use: unexpected_status\nhint: "),
        Fault(
            testDescription: "only 429", scenario: #"{"faults": [{"status": 429}]}"#, code: .success,
            count: ("failed", 5), message: "warning: the data server for production answered nothing but 429\nhint: "),
        Fault(
            testDescription: "a Date four seconds ahead", scenario: #"{"faults": [{"date_offset_s": 4}]}"#,
            code: .success, count: ("replaced", 5), message: "warning: this machine's clock is "),
        Fault(
            testDescription: "a Date minutes ahead", scenario: #"{"faults": [{"date_offset_s": 150}]}"#,
            code: .attention, count: ("replaced", 5),
            message: " behind that of the data server for production, expected at most 2 s\nhint: set this machine's "
                + "clock"),
    ]

    @Test("each fault of a whole fleet has its exit code, and is told of once", arguments: faults)
    func wholeFleet(fault: Fault) async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 5, scenario: fault.scenario, swapsServers: fault.swapsServers)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            try stage.wait(.hours(2))
            let result = try await stage.attestwatch("refresh", "--json")
            #expect(result.code == fault.code, "\(result.errors)")
            let summary = try #require(try jsonLines(result.output).first)
            #expect(summary[fault.count.name] as? Int == fault.count.value)
            #expect(summary["quarantined"] as? Int == 0)
            #expect(result.errors.components(separatedBy: fault.message).count == 2, "\(result.errors)")
        }
    }

    @Test("304 is told of from the third in a row, and needs nobody")
    func early() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 5, scenario: #"{"faults": [{"status": 304}]}"#)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            for round in 1...3 {
                try stage.wait(.hours(5))
                let result = try await stage.attestwatch("refresh", "--json")
                #expect(result.code == .success)
                #expect(try jsonLines(result.output).first?["early"] as? Int == 5)
                let warning = "warning: 5 receipts were answered with 304, too early, 3 times in a row or more\nhint: "
                #expect(result.errors.contains(warning) == (round == 3), "\(result.errors)")
            }
        }
    }

    @Test("rows of an app that is no longer configured are held unsent, counted and named")
    func unconfigured() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 5)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            try stage.wait(.hours(2))
            let settings = try String(contentsOfFile: stage.configuration, encoding: .utf8)
            try stage.attestwatch.file(
                "a.json5", settings.replacing(Stage.appID, with: "A1B2C3D4E5.com.example.other"))
            let result = try await stage.attestwatch("refresh", "--json")
            #expect(result.code == .attention)
            #expect(try jsonLines(result.output).first?["held"] as? Int == 5)
            #expect(try stage.ledger().isEmpty)
            #expect(
                result.errors.contains(
                    "warning: 5 receipts of apps that are not configured were held unsent (\(Stage.appID) 5)\nhint: "
                ))
        }
    }

    @Test("a database session that is ended in the middle of a run costs no answer")
    func sessionsEnded() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 60, requestsPerSecond: 30)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            try stage.wait(.hours(2))
            let (output, errors) = (Pipe(), Pipe())
            let process = try stage.start(["refresh", "--events", "-", "--json"], output: output, errors: errors)
            // The first batch has been stored when its events come.
            var events = output.fileHandleForReading.availableData
            #expect(!events.isEmpty)
            let ended: Int = try await test.database.perform { connection throws(PostgresError) in
                var rows = try connection.run(
                    Query(
                        name: "test_end_sessions",
                        sql: """
                            SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                            WHERE datname = current_database() AND pid <> pg_backend_pid()
                                AND backend_type = 'client backend'
                            """))
                _ = rows.next()
                return try rows.read()
            }
            #expect(ended > 0)
            events += try output.fileHandleForReading.readToEnd() ?? Data()
            let notes = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(notes)")
            #expect(try jsonLines(String(decoding: events, as: UTF8.self)).count == 60)
            let status = try #require(try jsonLines(try await stage.attestwatch("status", "--json").output).first)
            #expect(status["fresh"] as? Int == 60 && status["due"] as? Int == 0)
        }
    }
}
