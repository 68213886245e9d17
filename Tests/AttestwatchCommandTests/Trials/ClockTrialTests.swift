import AppAttest
import AttestwatchCommand
import Foundation
import TestSupport
import Testing

@Suite("Clocks that are far apart")
struct ClockTrialTests {
    private static let skewed = "clock.skewed production"
    /// Answers before the clocks part.
    private static let good = 20

    @Test(
        "a data server's Date a day off: answers are held unmerged, the lane stops, once; agreed again, all is read",
        arguments: [200_000, -200_000], [1, 100])
    func apart(seconds: Int, inFlight: Int) async throws {
        try await TestDatabase.migrated { test in
            let count = 200
            let stage = try Stage(
                test, devices: count,
                scenario: scenario(
                    """
                    {"match": {"to_day": 1, "first_request": \(Self.good + 1)}, "date_offset_s": \(seconds),
                     "delay_ms": \(inFlight > 1 ? 500 : 0)}
                    """), inFlight: inFlight)
            let trial = try await Trial(stage, test)
            let before = try await trial.receipts()
            let run = try await trial.refresh()
            #expect(run.code == .attention, "\(run.errors)")
            let told = "attestwatch: error: expected a clock within a day of the data server's, found one "
            #expect(run.errors.components(separatedBy: told).count == 2, "\(run.errors)")
            #expect(run.errors.components(separatedBy: "attestwatch: error: ").count == 2, "\(run.errors)")
            let requests = try stage.ledger().count
            #expect((Self.good + 1...Self.good + inFlight).contains(requests), "\(requests)")
            #expect(run.summary["sent"] == requests && run.summary["replaced"] == Self.good)
            // What was not read by then is as due as it was.
            #expect((requests - Self.good...count - Self.good).contains(try #require(run.summary["held"])))

            let (rows, receipts) = (try await trial.rows(), try await trial.receipts())
            #expect(rows.values.allSatisfy { $0.attempts == 0 && $0.failures == 0 && $0.state == "active" })
            #expect(rows.values.count { $0.outcome == "held" } == requests - Self.good)
            for (device, row) in rows where row.outcome == "held" {
                #expect((Duration.hours(1)...Duration.hours(6)).contains(row.wait), "\(row.wait)")
                #expect(receipts[device] == before[device] && !row.hasReading)
            }
            #expect(rows.values.count { $0.outcome.isEmpty } == count - requests)
            let changed = before.filter { receipts[$0.key] != $0.value }.keys
            #expect(Set(changed) == Set(rows.filter { $0.value.outcome == "replaced" }.keys))
            let opened = try await trial.alerts()
            #expect(opened.map(\.name) == [Self.skewed])

            try stage.wait(.hours(6))
            let again = try await trial.refresh()
            #expect(again.code == .attention && again.summary["replaced"] == 0, "\(again.errors)")
            #expect(try stage.ledger().count == requests + 1)
            #expect(try await trial.receipts() == receipts)
            let seen = try await trial.alerts()
            #expect(seen.map(\.name) == [Self.skewed] && seen.first?.opened == opened.first?.opened)

            try stage.wait(.hours(17))
            let agreed = try await trial.refresh()
            #expect(agreed.code == .success, "\(agreed.errors)")
            #expect(agreed.summary["replaced"] == count - Self.good)
            #expect(try await trial.rows().values.allSatisfy { $0.outcome == "replaced" && $0.hasReading })
            let ended = try await trial.alerts()
            #expect(ended.count == 1 && ended.first?.isOpen == false)
        }
    }

    @Test("a database's clock minutes off: told of by each run, which goes on, and one alert until it is right")
    func database() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 3)
            let trial = try await Trial(stage, test)
            try await test.execute(databaseClock(moved: "5 minutes"))
            for round in 1...2 {
                let run = try await trial.refresh()
                #expect(run.code == .attention, "\(run.errors)")
                let told = " behind that of the database's server, expected at most 2 s\nhint: "
                #expect(run.errors.components(separatedBy: told).count == 2, "\(run.errors)")
                #expect(run.summary["replaced"] == (round == 1 ? 3 : 0))
                let alerts = try await trial.alerts()
                #expect(alerts.map(\.name) == ["clock.skewed database"] && alerts.allSatisfy(\.isOpen))
                #expect(alerts.allSatisfy { $0.seen - $0.opened >= 3_600_000_000 * (round - 1) })
                try stage.wait(.hours(1))
            }
            try await test.execute(databaseClockPutRight)
            let right = try await trial.refresh()
            #expect(right.code == .success, "\(right.errors)")
            #expect(try await trial.alerts().map(\.isOpen) == [false])
        }
    }
}
