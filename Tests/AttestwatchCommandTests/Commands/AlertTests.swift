import AppAttest
import AttestwatchCommand
import Foundation
import TestSupport
import Testing

@Suite("Alerts for operators, from run to run")
struct AlertTests {
    /// The open alerts as `status --json` shows them.
    private func open(_ stage: Stage) async throws -> [[String: String]] {
        let status = try #require(try jsonLines(try await stage.attestwatch("status", "--json").output).first)
        return try #require(status["alerts"] as? [[String: String]])
    }

    private func names(_ stage: Stage) async throws -> [String] {
        try await open(stage).map { "\($0["kind"] ?? "") \($0["cause"] ?? "")" }.sorted()
    }

    private func stage(_ test: TestDatabase, devices: Int = 5, scenario: String? = nil) async throws -> Stage {
        let stage = try Stage(test, devices: devices, scenario: scenario)
        #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
        try stage.wait(.hours(2))
        return stage
    }

    @Test("faults 12 and 34: a credential refused over and over is one row whose time moves; mended, it is closed")
    func credential() async throws {
        try await TestDatabase.migrated { test in
            let scenario = #"{"faults": [{"match": {"to_day": 2}, "status": 401}]}"#
            let stage = try await stage(test, devices: 30, scenario: scenario)
            #expect(try await names(stage) == [])
            let first = try await stage.attestwatch("refresh")
            #expect(first.code == .credentialRefused)
            let opened = try await open(stage)
            #expect(try await names(stage) == ["credential.rejected A1B2C3D4E5 (production)"])
            let alert = try #require(opened.first)
            let message = try #require(alert["message"])
            #expect(first.errors.contains("attestwatch: error: \(message); nobody was charged for it\n"))
            let hint = try #require(alert["hint"])
            #expect(first.errors.contains("\nhint: \(hint)\n"))
            #expect(alert["opened_time"] == alert["seen_time"])

            try stage.wait(.hours(1))
            #expect(try await stage.attestwatch("refresh").code == .credentialRefused)
            let again = try await open(stage)
            #expect(again.count == 1)
            #expect(again.first?["opened_time"] == alert["opened_time"])
            let (before, after) = (try #require(alert["seen_time"]), try #require(again.first?["seen_time"]))
            #expect(after > before)
            let text = try await stage.attestwatch("status").output
            #expect(text.contains("\n\nALERT                CAUSE                    SINCE "))
            #expect(text.contains("credential.rejected  A1B2C3D4E5 (production)  "))

            // What the lane did not send is late by now; a look without sending changes nothing.
            try stage.wait(.hours(26))
            let overdue = try await stage.attestwatch("status", "--check")
            #expect(overdue.code == .attention)
            #expect(overdue.errors.contains("; the last run began 1 d 2 h ago\nhint: does something start "))
            #expect(try await stage.attestwatch("refresh", "--dry-run").code == .success)
            #expect(try await open(stage) == again)
            #expect(try await stage.attestwatch("refresh").code == .credentialRefused)
            #expect(try await names(stage) == ["backlog.late fleet", "credential.rejected A1B2C3D4E5 (production)"])

            try stage.wait(.days(1))
            #expect(try await stage.attestwatch("refresh", "--limit", "1").code == .success)
            #expect(try await names(stage) == ["backlog.late fleet"], "others are still due")
            #expect(try await stage.attestwatch("refresh").code == .success)
            #expect(try await names(stage) == [])
            #expect(try await test.number("SELECT count(*) FROM attestwatch.alert WHERE closed_time IS NOT NULL") == 2)
            let well = try await stage.attestwatch("status", "--check")
            #expect(well.code == .success && !well.errors.contains("the last run began"))
        }
    }

    /// A fault of all answers on the first day, and the alert that it opens.
    struct FirstDay: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let fault: String
        let alert: String
    }

    @Test(
        "a fault of the first day opens its alert, and the run that does not meet it closes it",
        arguments: [
            FirstDay(
                testDescription: "changed answers", fault: #""body": "changed_metric""#,
                alert: "integrity.failed production"),
            FirstDay(
                testDescription: "a Date minutes ahead", fault: #""date_offset_s": 150"#,
                alert: "clock.skewed production"),
            FirstDay(
                testDescription: "a Date days ahead", fault: #""date_offset_s": 200000"#,
                alert: "clock.skewed production"),
            FirstDay(
                testDescription: "400", fault: #""status": 400"#, alert: "requests.refused A1B2C3D4E5 (production)"),
        ])
    func firstDay(row: FirstDay) async throws {
        try await TestDatabase.migrated { test in
            let scenario = #"{"faults": [{"match": {"to_day": 1}, \#(row.fault)}]}"#
            let stage = try await stage(test, scenario: scenario)
            _ = try await stage.attestwatch("refresh")
            #expect(try await names(stage) == [row.alert])
            try stage.wait(.days(8))
            let mended = try await stage.attestwatch("refresh")
            #expect(mended.code == .success, "\(mended.errors)")
            #expect(try await names(stage) == [])
        }
    }

    @Test("receipts that are lost are told of until a day has gone by without another")
    func lost() async throws {
        try await TestDatabase.migrated { test in
            let stage = try await stage(test, scenario: #"{"faults": [{"status": 503}]}"#)
            try stage.wait(.days(92))
            _ = try await stage.attestwatch("refresh")
            #expect(!(try await names(stage)).contains("receipts.lost fleet"))
            try stage.wait(.days(8))
            let ended = try await stage.attestwatch("refresh")
            #expect(ended.errors.contains("5 receipts expired while data was expected"))
            #expect(try await names(stage).contains("receipts.lost fleet"))
            try stage.wait(.hours(1))
            #expect(try await stage.attestwatch("refresh").code == .success)
            #expect(try await names(stage).contains("receipts.lost fleet"))
            try stage.wait(.hours(24))
            #expect(try await stage.attestwatch("refresh").code == .success)
            #expect(try await !names(stage).contains("receipts.lost fleet"))
        }
    }

    @Test("a store that fails writes no alert, and what is wrong is told by the next run that ends")
    func storeFailure() async throws {
        try await TestDatabase.migrated { test in
            let scenario = #"{"faults": [{"body": "changed_metric"}]}"#
            let journal = try await JournalStage(test, devices: 5, scenario: scenario)
            try await test.execute("ALTER TABLE attestwatch.refresh_run RENAME COLUMN end_time TO other_time")
            #expect(try await journal.stage.attestwatch("refresh").code == .database)
            try await test.execute("ALTER TABLE attestwatch.refresh_run RENAME COLUMN other_time TO end_time")
            #expect(try await test.number("SELECT count(*) FROM attestwatch.alert") == 0)
            try journal.stage.wait(.hours(7))
            _ = try await journal.stage.attestwatch("refresh")
            #expect(try await names(journal.stage) == ["integrity.failed production"])
        }
    }

    @Test("fault 19: a mature fleet, of which four fifths are quiet, never opens an alert")
    func matureFleet() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 100, quietShare: 0.8)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            for wait in [Duration.hours(2)] + Array(repeating: .days(7), count: 8) {
                try stage.wait(wait)
                let result = try await stage.attestwatch("refresh", "--json")
                #expect(result.code == .success, "\(result.errors)")
            }
            let status = try #require(try jsonLines(try await stage.attestwatch("status", "--json").output).first)
            let quiet = try #require(status["quiet"] as? Int)
            #expect(quiet >= 70)
            #expect(status["due"] as? Int == 0)
            #expect(try await test.number("SELECT count(*) FROM attestwatch.alert") == 0)
        }
    }
}
