import AppAttest
import AttestwatchCommand
import Foundation
import SimulatedDataServer
import System
import TestSupport
import Testing

@Suite("A data server that wants to be asked less")
struct ThrottleTrialTests {
    /// Requests a second, as set.
    private static let rate = 1_000
    /// What the rate is after one cut and some seconds' climb; after a second cut it would be a quarter.
    private static let halved = rate / 2..<rate * 3 / 4
    /// Requests that may await their answer.
    private static let inFlight = 150
    private static let throttled = "pace.throttled production"

    /// 429 to what is in flight together when the first of it comes back.
    private func burst(_ more: String = "") -> String {
        scenario(
            """
            {"match": {"first_request": 2, "last_request": \(Self.inFlight + 1)}, "status": 429,
             "delay_ms": 3000\(more)}
            """)
    }

    private func expectHalved(_ trial: Trial) async throws {
        let rate = try await trial.rate()
        #expect(Self.halved.contains(rate), "\(rate)")
    }

    private func expectMoved(_ rows: some Sequence<Trial.Row>) {
        for row in rows where row.status == 429 {
            #expect(row.outcome == "failed" && row.attempts == 0 && row.failures == 0 && row.state == "active")
            #expect((Duration.minutes(10)...Duration.minutes(60)).contains(row.wait), "\(row.wait)")
        }
    }

    @Test("429 to 150 in flight is one cut of the rate, the others go on, and the rate climbs back to its setting")
    func oneCut() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(
                test, devices: 400, scenario: burst(), requestsPerSecond: Self.rate, inFlight: Self.inFlight)
            let trial = try await Trial(stage, test)
            let run = try await trial.refresh()
            #expect(run.code == .success, "\(run.errors)")
            #expect(run.summary["failed"] == Self.inFlight && run.summary["replaced"] == 400 - Self.inFlight)
            #expect(try stage.ledger().count == 400)
            expectMoved(try await trial.rows().values)
            try await expectHalved(trial)

            // From nothing to the setting it takes ten minutes.
            try await trial.ageBudget(.seconds(150))
            try stage.wait(.hours(1))
            let again = try await trial.refresh()
            #expect(again.code == .success && again.summary["replaced"] == Self.inFlight)
            let climbed = try await trial.rate()
            #expect((Self.rate * 3 / 4..<Self.rate).contains(climbed), "\(climbed)")
            try await trial.ageBudget(.minutes(10))
            try stage.wait(.days(8))
            #expect(try await trial.refresh().summary["replaced"] == 400)
            #expect(try await trial.rate() == Self.rate)
            #expect(try await trial.alerts() == [])
        }
    }

    @Test("a Retry-After of seconds to 150 in flight: nothing leaves for so long after the last, then the run goes on")
    func shortPause() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(
                test, devices: 200, scenario: burst(#", "retry_after": "3""#), requestsPerSecond: Self.rate,
                inFlight: Self.inFlight)
            let trial = try await Trial(stage, test)
            let run = try await trial.refresh()
            #expect(run.code == .success, "\(run.errors)")
            #expect(run.summary["failed"] == Self.inFlight && run.summary["replaced"] == 200 - Self.inFlight)
            let ledger = try stage.ledger()
            #expect(ledger.count == 200)
            #expect(try trial.longestGap(ledger[Self.inFlight...Self.inFlight + 1]) >= .seconds(3))
            expectMoved(try await trial.rows().values)
            try await expectHalved(trial)
            #expect(try await trial.alerts() == [])
        }
    }

    @Test(
        "a longer one ends the run, holds for the next one too, an hour at most, and is one alert until it is over",
        arguments: ["864000", "in half an hour"])
    func longPause(value: String) async throws {
        try await TestDatabase.migrated { test in
            let isDate = Int(value) == nil
            // A trial begins two hours after its receipts were minted.
            let date = SimulatedTime(milliseconds: SystemClock().now().microseconds / 1000).adding(seconds: 9_000)
            let fault =
                """
                {"match": {"to_day": 1, "first_request": 2}, "status": 429, "delay_ms": 2000,
                 "retry_after": "\(isDate ? date.httpDate : value)"}
                """
            let stage = try Stage(
                test, devices: 300, scenario: scenario(fault), requestsPerSecond: Self.rate, inFlight: Self.inFlight)
            let trial = try await Trial(stage, test)
            let run = try await trial.refresh()
            #expect(run.code == .success, "\(run.errors)")
            let words = "warning: the data server for production wants to be left alone for "
            #expect(run.errors.components(separatedBy: words).count == 2, "\(run.errors)")
            let requests = try stage.ledger().count
            #expect((100...Self.inFlight + 1).contains(requests), "\(requests)")
            #expect(run.summary["sent"] == requests && run.summary["failed"] == requests - 1)
            let pause = try await trial.pause()
            #expect((isDate ? 1_500...1_800 : 3_300...3_600).contains(pause), "\(pause)")
            try await expectHalved(trial)
            let rows = try await trial.rows().values
            expectMoved(rows)
            #expect(rows.count { $0.outcome.isEmpty } == 300 - requests)
            let opened = try await trial.alerts()
            #expect(opened.map(\.name) == [Self.throttled])

            try stage.wait(.minutes(20))
            let next = try await trial.refresh()
            #expect(next.code == .success && next.summary["sent"] == 0)
            #expect(try stage.ledger().count == requests)
            let seen = try await trial.alerts()
            #expect(seen.map(\.name) == [Self.throttled] && seen.first?.opened == opened.first?.opened)
            #expect(try #require(seen.first).seen - #require(opened.first).seen >= 20 * 60_000_000)

            try await trial.ageBudget(.hours(2))
            try stage.wait(.days(1))
            let over = try await trial.refresh()
            #expect(over.code == .success && over.summary["replaced"] == 299, "\(over.errors)")
            let ended = try await trial.alerts()
            #expect(ended.count == 1 && ended.first?.isOpen == false)
        }
    }

    @Test("nothing but 429, to a hundred in flight, run after run: each receipt once a run, one alert while it lasts")
    func nothingElse() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(
                test, devices: 250, scenario: scenario(#"{"match": {"to_day": 1}, "status": 429, "delay_ms": 500}"#),
                requestsPerSecond: Self.rate, inFlight: 100)
            let trial = try await Trial(stage, test)
            for round in 1...2 {
                let run = try await trial.refresh()
                #expect(run.code == .success, "\(run.errors)")
                let told = "warning: the data server for production answered nothing but 429\n"
                #expect(run.errors.components(separatedBy: told).count == 2, "\(run.errors)")
                #expect(run.summary["sent"] == 250 && run.summary["failed"] == 250)
                #expect(try stage.ledger().count == 250 * round)
                expectMoved(try await trial.rows().values)
                // Hundreds of answers are a few cuts, and never one each.
                let rate = try await trial.rate()
                #expect(rate >= Self.rate / 32, "\(rate)")
                let alerts = try await trial.alerts()
                #expect(alerts.map(\.name) == [Self.throttled] && alerts.allSatisfy(\.isOpen))
                #expect(alerts.allSatisfy { $0.seen - $0.opened >= 3_600_000_000 * (round - 1) })
                try await trial.ageBudget(.hours(1))
                try stage.wait(.hours(1))
            }
            try stage.wait(.days(1))
            #expect(try await trial.refresh().summary["replaced"] == 250)
            let alerts = try await trial.alerts()
            #expect(alerts.count == 1 && alerts.first?.isOpen == false)
        }
    }

    @Test("one receipt that is answered with 429 whenever it is sent does not slow the others for good")
    func oneReceipt() async throws {
        try await TestDatabase.migrated { test in
            let one = "device-000002"
            let stage = try Stage(
                test, devices: 30, scenario: scenario(fault(#""status": 429"#, for: [one])),
                requestsPerSecond: Self.rate, inFlight: Self.inFlight)
            let trial = try await Trial(stage, test)
            for round in 1...4 {
                try await trial.setOrder(trial.devices)
                let run = try await trial.refresh()
                #expect(run.code == .success, "\(run.errors)")
                #expect(run.summary["failed"] == 1 && run.summary["replaced"] == 29, "round \(round)")
                expectMoved(try await trial.rows().values)
                try await expectHalved(trial)
                // As soon as it can be due again.
                try await trial.ageBudget(.minutes(10))
                try stage.wait(.days(8))
            }
            #expect(try await trial.alerts() == [])
        }
    }
}
