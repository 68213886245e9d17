import AppAttest
import AttestwatchCommand
import Foundation
import TestSupport
import Testing

@Suite("What each reply does to a receipt, against the simulator")
struct ReplyTableTests {
    /// What the data server does with one receipt of four, and what becomes of that one.
    struct Reply: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Members of a fault.
        let fault: String
        var state = "active"
        var reason = ""
        var attempts = 0
        var failures = 0
        let outcome: String
        let status: Int
        /// From the answer to the next try.
        let wait: ClosedRange<Duration>
        var failure: String?
        var code = ExitCode.success
        var hasSecondKey = false
        var requests = 1
        var hasReading = false
    }

    private static let hour: ClosedRange<Duration> = .hours(1) ... .hours(1)
    private static let any: ClosedRange<Duration> = .days(-400) ... .days(400)

    /// The receipt is replaced, and read again by its cadence.
    private static func replaced(_ name: String, _ fault: String) -> Reply {
        Reply(
            testDescription: name, fault: fault, outcome: "replaced", status: 200,
            wait: .days(7) * 4 / 5 - .minutes(1) ... .days(7), hasReading: true)
    }

    /// Charged once the lane is shown good, and tried again in an hour.
    private static func doubted(_ body: String, _ failure: String) -> Reply {
        Reply(
            testDescription: "200, \(body)", fault: #""body": "\#(body)""#, attempts: 1, outcome: "failed", status: 200,
            wait: hour, failure: failure, code: .attention)
    }

    /// Not charged, and tried again in an hour.
    private static func odd(_ name: String, _ fault: String, _ status: Int, _ failure: String) -> Reply {
        Reply(
            testDescription: name, fault: fault, failures: 1, outcome: "failed", status: status, wait: hour,
            failure: failure)
    }

    private static let good = [
        replaced("200", #""delay_ms": 0"#),
        replaced("200 with a line feed behind it", #""body": "newline""#),
        replaced("200 in lines that end with CRLF", #""body": "wrapped""#),
        Reply(
            testDescription: "200 without a metric", fault: #""body": "no_metric""#, outcome: "replaced", status: 200,
            wait: .days(1) - .minutes(1) ... .days(1) + .minutes(63)),
    ]

    private static let doubts = [
        doubted("damaged_signature", "signature"), doubted("changed_metric", "signature"),
        doubted("unmarked_signer", "signer_not_marked"), doubted("foreign_root", "chain"),
        doubted("stale", "stale"), doubted("future", "from_future"), doubted("older", "not_newer"),
        doubted("other_key", "key"), doubted("other_app", "app_id"), doubted("other_environment", "environment"),
        doubted("half", "truncated"),
    ]

    private static let refusals = [
        Reply(
            testDescription: "304", fault: #""status": 304"#, failures: 1, outcome: "early", status: 304, wait: hour),
        Reply(
            testDescription: "400, incorrect environment", fault: #""status": 400, "body": "incorrect_environment""#,
            state: "quarantined", reason: "environment", attempts: 1, outcome: "quarantined", status: 400, wait: any,
            failure: "incorrect_environment", code: .attention),
        Reply(
            testDescription: "400", fault: #""status": 400"#, attempts: 1, outcome: "failed", status: 400,
            wait: .days(1) ... .days(1), failure: "bad_request", code: .attention),
        Reply(
            testDescription: "401", fault: #""status": 401"#, state: "quarantined", reason: "foreign_team", attempts: 1,
            outcome: "quarantined", status: 401, wait: any, failure: "unauthorized", code: .attention),
        Reply(
            testDescription: "403", fault: #""status": 403"#, state: "quarantined", reason: "foreign_team", attempts: 1,
            outcome: "quarantined", status: 403, wait: any, failure: "unauthorized", code: .attention),
        Reply(
            testDescription: "401 to both of two keys", fault: #""status": 401"#, state: "quarantined",
            reason: "foreign_team", attempts: 1, outcome: "quarantined", status: 401, wait: any,
            failure: "unauthorized", code: .attention, hasSecondKey: true, requests: 2),
        Reply(
            testDescription: "404", fault: #""status": 404"#, state: "quiet", outcome: "quiet", status: 404,
            wait: .days(14) ... .days(14)),
        Reply(
            testDescription: "429", fault: #""status": 429"#, outcome: "failed", status: 429,
            wait: .minutes(10) ... .minutes(60), failure: "too_many_requests"),
    ]

    private static let failures = [
        Reply(
            testDescription: "500", fault: #""status": 500"#, failures: 1, outcome: "failed", status: 500,
            wait: .seconds(1) ... .minutes(1), failure: "server_failure"),
        Reply(
            testDescription: "503", fault: #""status": 503"#, failures: 1, outcome: "failed", status: 503,
            wait: .seconds(1) ... .minutes(1), failure: "server_failure"),
        Reply(
            testDescription: "200, cut off", fault: #""body": "cut""#, failures: 1, outcome: "failed", status: 0,
            wait: .seconds(1) ... .minutes(1), failure: "cut"),
        odd("a redirect", #""status": 302, "location": "https://127.0.0.1:9/elsewhere""#, 302, "unexpected_status"),
        odd("201", #""status": 201"#, 201, "unexpected_status"),
        odd("418", #""status": 418"#, 418, "unexpected_status"),
        odd("200 with nothing", #""body": "empty""#, 200, "not_base64"),
        odd("200 with a login page", #""body": "html""#, 200, "not_base64"),
        odd("200 with JSON", #""body": "json""#, 200, "not_base64"),
        odd("200 with octets", #""body": "garbage""#, 200, "not_base64"),
        odd("200 with the receipt itself", #""body": "raw""#, 200, "not_base64"),
        odd("200 with gzip", #""body": "gzip""#, 200, "not_base64"),
        odd("200 with 128 KiB", #""body": "oversized""#, 200, "too_large"),
    ]

    @Test(
        "the row that is left, what is counted and the exit code; the receipts beside it are replaced",
        arguments: good + doubts + refusals + failures)
    func table(reply: Reply) async throws {
        try await TestDatabase.migrated { test in
            let one = "device-000001"
            let stage = try Stage(
                test, devices: 4, scenario: scenario(fault(reply.fault, for: [one])),
                addsRefusedKey: reply.hasSecondKey, inFlight: 1)
            let trial = try await Trial(stage, test)
            // One is good before it, so that a refusal is not the first thing heard, and more are good behind it.
            let last = reply.status == 429
            try await trial.setOrder(
                ["device-000002"] + (last ? [] : [one]) + ["device-000003", "device-000004"] + (last ? [one] : []))
            let run = try await trial.refresh()
            #expect(run.code == reply.code, "\(run.errors)")
            try expect(run.summary, for: reply)
            let rows = try await trial.rows()
            try expect(try #require(rows[one]), for: reply)
            for (device, row) in rows where device != one { #expect(row.outcome == "replaced" && row.attempts == 0) }
            let event = try #require(run.events[one])
            #expect(event["outcome"] as? String == reply.outcome)
            #expect(event["failure"] as? String == reply.failure)
            #expect(event["status"] as? Int == (reply.status == 0 ? nil : reply.status))
            #expect((event["trace_id"] as? String)?.count == (reply.status == 0 ? nil : 32))
            let requests = try trial.requests()
            #expect(requests[one] == reply.requests)
            #expect(try stage.ledger().allSatisfy { $0.environment == .production })
        }
    }

    private func expect(_ summary: [String: Int], for reply: Reply) throws {
        #expect(summary["due"] == 4 && summary["sent"] == 4)
        #expect(summary["replaced"] == (reply.outcome == "replaced" ? 4 : 3))
        #expect(summary[reply.outcome] == (reply.outcome == "replaced" ? 4 : 1))
        #expect(["held", "superseded", "retired", "lost", "replayed"].allSatisfy { summary[$0] == 0 })
    }

    private func expect(_ row: Trial.Row, for reply: Reply) throws {
        #expect(row.state == reply.state && row.reason == reply.reason)
        #expect(row.attempts == reply.attempts && row.failures == reply.failures)
        #expect(row.outcome == reply.outcome && row.status == reply.status)
        #expect(row.traceLength == (reply.status == 0 ? 0 : 32))
        #expect(reply.wait.contains(row.wait), "\(row.wait)")
        #expect(row.hasReading == reply.hasReading)
    }

    @Test("the very receipt that was sent, answered again, is charged and told of as not newer")
    func echo() async throws {
        try await TestDatabase.migrated { test in
            let one = "device-000001"
            let stage = try Stage(
                test, devices: 4,
                scenario: scenario(#"{"match": {"from_day": 1, "device_refs": ["\#(one)"]}, "body": "echo"}"#),
                inFlight: 1)
            let trial = try await Trial(stage, test)
            #expect(try await trial.refresh().summary["replaced"] == 4)
            try stage.wait(.days(8))
            try await trial.setOrder(["device-000002", one, "device-000003", "device-000004"])
            let run = try await trial.refresh()
            #expect(run.code == .attention)
            #expect(run.errors.contains("expected newer receipts of the same keys, found 1 others"))
            let row = try #require(try await trial.rows()[one])
            #expect(row.attempts == 1 && row.outcome == "failed" && row.state == "active")
            #expect(row.wait == .hours(1))
        }
    }

    @Test(
        "429 pauses the data server for as long as Retry-After says, where it says something",
        arguments: [
            ("120", true), ("864000", true), ("Fri, 01 Jan 2100 00:00:00 GMT", true), ("0", false), ("soon", false),
            ("Thu, 01 Jan 1970 00:00:00 GMT", false), ("-5", false),
        ])
    func retryAfter(value: String, pauses: Bool) async throws {
        try await TestDatabase.migrated { test in
            let one = "device-000001"
            let stage = try Stage(
                test, devices: 4, scenario: scenario(fault(#""status": 429, "retry_after": "\#(value)""#, for: [one])))
            let trial = try await Trial(stage, test)
            try await trial.setOrder(trial.devices)
            let run = try await (pauses ? trial.refresh("--max-duration", "10s") : trial.refresh())
            #expect(run.code == .success)
            #expect(run.summary["sent"] == (pauses ? 1 : 4) && run.summary["failed"] == 1)
            #expect(try stage.ledger().count == (pauses ? 1 : 4))
            let row = try #require(try await trial.rows()[one])
            #expect(row.attempts == 0 && row.failures == 0)
            #expect((Duration.minutes(10)...Duration.minutes(60)).contains(row.wait))
        }
    }

    @Test("GOAWAY after every third request costs no row a failure, and no request is sent twice")
    func goAway() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 60, scenario: "{}", inFlight: 20, options: ["--goaway-after", "3"])
            let trial = try await Trial(stage, test)
            let run = try await trial.refresh()
            #expect(run.code == .success, "\(run.errors)")
            #expect(run.summary["replaced"] == 60 && run.summary["failed"] == 0)
            let rows = try await trial.rows()
            #expect(rows.values.allSatisfy { $0.attempts == 0 && $0.failures == 0 && $0.outcome == "replaced" })
            #expect(try stage.ledger().count == 60)
        }
    }
}
