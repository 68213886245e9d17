import AppAttest
import AttestwatchCommand
import Foundation
import Refresh
import TestServers
import TestSupport
import Testing

@Suite("A data server that fails, and comes back")
struct OutageTrialTests {
    private static let devices = 300

    @Test(
        "5xx to everything: few requests, nobody charged, one alert over two runs; back again, all is read and it ends",
        arguments: [(1, 0), (100, 0), (100, 60)])
    func down(inFlight: Int, served: Int) async throws {
        try await TestDatabase.migrated { test in
            let fault = """
                {"match": {"to_day": 1, "first_request": \(served + 1)}, "status": 503,
                 "delay_ms": \(inFlight > 1 ? 300 : 0)}
                """
            let stage = try Stage(test, devices: Self.devices, scenario: scenario(fault), inFlight: inFlight)
            let trial = try await Trial(stage, test)
            try await fail(trial, inFlight: inFlight, served: served, word: served > 0 ? Self.failing : Self.silent)
            let opened = try await trial.alerts()
            #expect(opened.map(\.name) == ["breaker.open production"])
            let receipts = try await trial.receipts()
            try stage.wait(.hours(1))
            try await fail(trial, inFlight: inFlight, served: 0, word: Self.silent)
            #expect(try await trial.receipts() == receipts)
            let seen = try await trial.alerts()
            #expect(seen.map(\.name) == ["breaker.open production"] && seen.first?.opened == opened.first?.opened)
            #expect(try #require(seen.first).seen - #require(opened.first).seen >= 3_600_000_000)
            #expect(try await trial.rows().values.map(\.failures).reduce(0, +) == stage.ledger().count - served)

            try stage.wait(.days(1))
            let back = try await trial.refresh()
            #expect(back.code == .success, "\(back.errors)")
            #expect(back.summary["replaced"] == Self.devices - served)
            #expect(try await trial.rows().values.allSatisfy { $0.failures == 0 && $0.hasReading })
            #expect(try await trial.alerts().map(\.isOpen) == [false])
        }
    }

    private static let silent = "answered nothing of use: server_failure\n"
    private static let failing = "was failing when the run ended: server_failure\n"

    /// A run that meets with the outage after so many answers.
    private func fail(_ trial: Trial, inFlight: Int, served: Int, word: String) async throws {
        let before = try trial.stage.ledger().count
        // It would go on to probe for a minute.
        try trial.stage.stopNextRun(after: served + Breaker.enough + 1, silence: .seconds(1))
        let run = try await trial.refresh()
        trial.stage.stopNoRun()
        #expect(run.code == .dataServerUnavailable, "\(run.errors)")
        let told = "attestwatch: error: the data server for production \(word)"
        #expect(run.errors.components(separatedBy: told).count == 2, "\(run.errors)")
        #expect(run.errors.components(separatedBy: "attestwatch: error: ").count == 2, "\(run.errors)")
        let failures = try trial.stage.ledger().count - before - served
        #expect((Breaker.enough...Breaker.enough + inFlight + 1).contains(failures), "\(failures)")
        #expect(run.summary["sent"] == served + failures)
        #expect(run.summary["failed"] == failures && run.summary["replaced"] == served)
        #expect(try await trial.rows().values.allSatisfy { $0.attempts == 0 && $0.state == "active" })
    }

    @Test("one that is back soon is probed, then asked on in the same run, and that is no alert", arguments: [1, 100])
    func short(inFlight: Int) async throws {
        try await TestDatabase.migrated { test in
            // One by one, two probes; else the canary and all that is in flight after it.
            let failures = inFlight == 1 ? Breaker.enough + 1 : inFlight + 1
            let delay = inFlight == 1 ? 0 : 300
            let stage = try Stage(
                test, devices: Self.devices,
                scenario: scenario("{\"times\": \(failures), \"status\": 503, \"delay_ms\": \(delay)}"),
                inFlight: inFlight)
            let trial = try await Trial(stage, test)
            let run = try await trial.refresh()
            #expect(run.code == .success, "\(run.errors)")
            #expect(run.summary["failed"] == failures && run.summary["replaced"] == Self.devices - failures)
            let ledger = try stage.ledger()
            #expect(ledger.count == Self.devices)
            if inFlight == 1 {
                let last = Breaker.enough - 1
                #expect(try trial.longestGap(ledger[last...last + 1]) >= .seconds(1))
                #expect(try trial.longestGap(ledger[last + 1...last + 2]) >= .seconds(2))
            }
            #expect(try await trial.rows().values.allSatisfy { $0.attempts == 0 })
            #expect(try await trial.alerts() == [])
        }
    }

    @Test("a request that is never answered is given up after half a minute: kept, not charged, and read by the next")
    func timeout() async throws {
        try await TestDatabase.migrated { test in
            let one = "device-000002"
            let match = #""match": {"device_refs": ["\#(one)"]}"#
            let stage = try Stage(
                test, devices: 4, scenario: scenario("{\(match), \"times\": 1, \"delay_ms\": 600000}"))
            let trial = try await Trial(stage, test)
            try await trial.setOrder(trial.devices)
            let before = try #require(try await trial.receipts()[one])
            let run = try await trial.refresh()
            #expect(run.code == .success, "\(run.errors)")
            #expect(run.summary["sent"] == 4 && run.summary["replaced"] == 3 && run.summary["failed"] == 1)
            let event = try #require(run.events[one])
            #expect(event["failure"] as? String == "timeout" && event["status"] is NSNull)
            let row = try #require(try await trial.rows()[one])
            #expect(row.outcome == "failed" && row.state == "active" && row.attempts == 0 && row.failures == 1)
            #expect((Duration.seconds(1)...Duration.minutes(1)).contains(row.wait), "\(row.wait)")
            #expect(try await trial.receipts()[one] == before)
            // One receipt's trouble is not the data server's.
            #expect(try await trial.alerts() == [])

            try stage.wait(.minutes(1))
            let next = try await trial.refresh()
            #expect(next.code == .success && next.summary["sent"] == 1 && next.summary["replaced"] == 1)
            #expect(try #require(try await trial.rows()[one]).failures == 0)
            #expect(try trial.requests()[one] == 2)
        }
    }

    /// A server that does what `Tests/TestServers/Scripts/faults.py` says of this fault, and what is made of it.
    struct Misconduct: CustomTestStringConvertible, Sendable {
        let fault: String
        /// Of a server that refuses streams: how many, before it answers `ok`.
        var count: Int?
        let failure: String
        let wait: ClosedRange<Duration>

        var testDescription: String { fault + (count.map { ", \($0) times" } ?? "") }
    }

    private static let hour: ClosedRange<Duration> = .hours(1) ... .hours(1)
    private static let outage: ClosedRange<Duration> = .seconds(1) ... .minutes(1)

    @Test(
        "what a single request meets with: refused streams are sent again up to three times; nothing of it is charged",
        arguments: [
            // A reset stream libcurl by itself sends again as well, up to five times.
            Misconduct(fault: "refuse", count: 3, failure: "not_base64", wait: hour),
            Misconduct(fault: "refuse", count: 100, failure: "refused_stream", wait: outage),
            Misconduct(fault: "goaway", count: 3, failure: "not_base64", wait: hour),
            Misconduct(fault: "goaway", count: 4, failure: "refused_stream", wait: outage),
            Misconduct(fault: "nothing", failure: "cut", wait: outage),
            Misconduct(fault: "reset", failure: "cut", wait: outage),
            Misconduct(fault: "half", failure: "cut", wait: outage),
            Misconduct(fault: "old", failure: "tls", wait: outage),
            Misconduct(fault: "large", failure: "server_failure", wait: outage),
            Misconduct(fault: "endless", failure: "too_large", wait: hour),
            Misconduct(fault: "gzip", failure: "not_base64", wait: hour),
        ])
    func misconduct(row: Misconduct) async throws {
        try await TestDatabase.migrated { test in
            try await TestAuthority.with { authority in
                try await LoopbackServer.withFault(row.fault, count: row.count, authority.issue()) { server in
                    let stage = try Stage(test, devices: 1, hasServer: false)
                    try stage.ask(server.url("/v1/attestationData"), trusting: authority.certificateFile)
                    let trial = try await Trial(stage, test)
                    let before = try await trial.receipts()
                    let run = try await trial.refresh()
                    #expect(run.code == .dataServerUnavailable, "\(run.errors)")
                    #expect(run.summary["sent"] == 1 && run.summary["failed"] == 1)
                    #expect(run.events["device-000001"]?["failure"] as? String == row.failure)
                    let left = try #require(try await trial.rows()["device-000001"])
                    #expect(left.attempts == 0 && left.failures == 1 && left.state == "active")
                    #expect(row.wait.contains(left.wait), "\(left.wait)")
                    #expect(try await trial.receipts() == before)
                    // One receipt's trouble is not yet the data server's.
                    #expect(try await trial.alerts() == [])
                }
            }
        }
    }
}
