import AppAttest
import AttestwatchCommand
import Foundation
import TestSupport
import Testing

@Suite("One receipt that is refused again and again, against the simulator")
struct RefusalTrialTests {
    private static let bad = "device-000002"
    private static let day = 24 * 3_600_000_000

    /// Four receipts, all due, the bad one after a good one and before two.
    private func order(_ trial: Trial) async throws { try await trial.setOrder(trial.devices) }

    private func row(_ trial: Trial) async throws -> Trial.Row { try #require(try await trial.rows()[Self.bad]) }

    @Test("400 counts once a day, and where others are answered: put aside on the second, one alert until it is let go")
    func badRequest() async throws {
        try await TestDatabase.migrated { test in
            let match = "\"match\": {\"device_refs\": [\"\(Self.bad)\"]}"
            let stage = try Stage(
                test, devices: 4, scenario: scenario("{\(match), \"times\": 4, \"status\": 400}"), inFlight: 1)
            let trial = try await Trial(stage, test)
            try await order(trial)
            #expect(try await trial.refresh().code == .attention)
            let first = try await row(trial)
            #expect(first.attempts == 1 && first.state == "active" && first.wait == .hours(24))

            // Again within a day, as after a release: not counted.
            try stage.wait(.hours(12))
            try await order(trial)
            let soon = try await trial.refresh()
            #expect(soon.code == .attention && soon.summary["quarantined"] == 0, "\(soon.errors)")
            let second = try await row(trial)
            #expect(second.attempts == 1 && second.state == "active" && second.wait == .hours(24))
            #expect(try await trial.openAlerts() == [])

            // A day later, but nothing else is sent that could show whose fault it is.
            try stage.wait(.hours(25))
            try await trial.setOrder([Self.bad])
            let alone = try await trial.refresh("--limit", "1")
            #expect(alone.code == .attention && alone.summary["held"] == 1, "\(alone.errors)")
            let held = try await row(trial)
            #expect(held.attempts == 1 && held.state == "active" && held.outcome == "held")
            #expect((Duration.hours(1)...Duration.hours(6)).contains(held.wait), "\(held.wait)")
            #expect(try await trial.openAlerts() == ["requests.refused A1B2C3D4E5 (production)"])

            try stage.wait(.hours(6))
            try await order(trial)
            let last = try await trial.refresh()
            #expect(last.code == .attention && last.summary["quarantined"] == 1, "\(last.errors)")
            let aside = try await row(trial)
            #expect(aside.state == "quarantined" && aside.reason == "bad_request" && aside.attempts == 2)
            try await expectAlert(of: "bad_request", until: "released", trial, sent: 4)
        }
    }

    /// What is put aside is not sent, and is told of until it is let go.
    private func expectAlert(of reason: String, until word: String, _ trial: Trial, sent: Int) async throws {
        let stage = trial.stage
        let name = "receipts.quarantined \(reason)"
        let opened = try #require(try await trial.alerts().first { $0.name == name })
        #expect(opened.isOpen && opened.message.hasPrefix("1 receipts wait for a person"))
        try stage.wait(.days(1))
        try await order(trial)
        #expect(try await trial.refresh().summary["quarantined"] == 0)
        #expect(try trial.requests()[Self.bad] == sent)
        let seen = try await trial.alerts().filter { $0.name == name }
        #expect(seen.count == 1 && seen.first?.isOpen == true && seen.first?.opened == opened.opened)
        #expect(try #require(seen.first).seen - opened.seen >= Self.day)

        let released = try await stage.attestwatch("quarantine", "release", "--reason", reason, "--json")
        #expect(try jsonLines(released.output).first?[word] as? Int == 1)
        try stage.wait(.days(1))
        try await order(trial)
        let mended = try await trial.refresh()
        #expect(mended.events[Self.bad]?["outcome"] as? String == "replaced", "\(mended.errors)")
        #expect(try trial.requests()[Self.bad] == sent + 1)
        #expect(try await trial.openAlerts() == [])
        #expect(try await trial.alerts().filter { $0.name == name }.count == 1)
    }

    @Test(
        "an answer that is not to be believed is tried again after an hour, then two, and put aside on the third",
        arguments: [("damaged_signature", "not_verified"), ("older", "not_newer"), ("other_key", "other_key")])
    func doubtful(body: String, reason: String) async throws {
        try await TestDatabase.migrated { test in
            let match = "\"match\": {\"device_refs\": [\"\(Self.bad)\"]}"
            let stage = try Stage(
                test, devices: 4, scenario: scenario("{\(match), \"times\": 3, \"body\": \"\(body)\"}"), inFlight: 1)
            let trial = try await Trial(stage, test)
            let before = try #require(try await trial.receipts()[Self.bad])
            for round in 1...3 {
                try await order(trial)
                let run = try await trial.refresh()
                #expect(run.code == .attention, "\(run.errors)")
                #expect(run.summary["replaced"] == 3 && run.summary["quarantined"] == (round == 3 ? 1 : 0))
                let row = try await row(trial)
                #expect(row.attempts == round && row.state == (round == 3 ? "quarantined" : "active"))
                if round < 3 { #expect(row.wait == .hours(round)) }
                #expect(try await trial.receipts()[Self.bad] == before)
                #expect(try await trial.alerts().filter { $0.name == "integrity.failed production" }.count == 1)
                // The windows of the others' new receipts open after a day.
                if round < 3 { try stage.wait(.days(2)) }
            }
            #expect(try await row(trial).reason == reason)
            try await expectAlert(of: reason, until: "released", trial, sent: 3)
        }
    }

    @Test("an answer without a metric is stored, and the reading before it stays, with its own date")
    func noMetric() async throws {
        try await TestDatabase.migrated { test in
            let match = "\"match\": {\"device_refs\": [\"\(Self.bad)\"], \"from_day\": 1}"
            let stage = try Stage(test, devices: 4, scenario: scenario("{\(match), \"body\": \"no_metric\"}"))
            let trial = try await Trial(stage, test)
            #expect(try await trial.refresh().summary["replaced"] == 4)
            let device =
                "FROM attestwatch.receipt r JOIN attestwatch.attested_key k USING (key_id)"
                + " WHERE k.device_ref = '\(Self.bad)'"
            let reading = "SELECT metric_time || ' ' || risk_metric \(device)"
            let (receipts, before) = (try await trial.receipts(), try await test.texts(reading))
            try stage.wait(.days(8))
            let run = try await trial.refresh()
            #expect(run.code == .success && run.summary["replaced"] == 4, "\(run.errors)")
            #expect(run.events[Self.bad]?["risk_metric"] is NSNull)
            #expect(try await trial.receipts()[Self.bad] != receipts[Self.bad])
            #expect(try await test.texts(reading) == before)
            let newer = "SELECT count(*) \(device) AND r.creation_time > r.metric_time + interval '7 days'"
            #expect(try await test.number(newer) == 1)
        }
    }
}
