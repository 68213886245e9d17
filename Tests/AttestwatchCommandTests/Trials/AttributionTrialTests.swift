import AppAttest
import AttestwatchCommand
import Foundation
import TestSupport
import Testing

@Suite("Whose fault a failure is, against the simulator")
struct AttributionTrialTests {
    /// A failure that may be the receipt's or ours, and what it does to a receipt whose fault it is.
    struct Kind: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Members of a fault.
        let fault: String
        let state: String
        let outcome: String
    }

    private static let devices = 400
    private static let kinds = [
        Kind(testDescription: "401", fault: #""status": 401"#, state: "quarantined", outcome: "quarantined"),
        Kind(testDescription: "400", fault: #""status": 400"#, state: "active", outcome: "failed"),
        Kind(
            testDescription: "a signature that is damaged", fault: #""body": "damaged_signature""#, state: "active",
            outcome: "failed"),
    ]

    private static func names(_ numbers: [Int]) -> [String] {
        numbers.map { "device-" + String(1_000_000 + $0).dropFirst() }
    }

    @Test(
        "1 and 3 % bad receipts: exactly those are charged, the others go on, and nothing is sent twice",
        arguments: kinds, [(percent: 1, inFlight: 1), (1, 300), (3, 1), (3, 300)])
    func someBad(kind: Kind, setting: (percent: Int, inFlight: Int)) async throws {
        try await TestDatabase.migrated { test in
            // With more rows behind the last of them than may be in flight: something has to show the lane good.
            let bad = Self.names((1...setting.percent * 6).map { $0 * 200 / (setting.percent * 6) })
            let count = 600
            let stage = try Stage(
                test, devices: count, scenario: scenario(fault(kind.fault, for: bad)),
                requestsPerSecond: 10_000, inFlight: setting.inFlight)
            let trial = try await Trial(stage, test)
            try await trial.setOrder(trial.devices)
            let run = try await trial.refresh()
            #expect(run.code == .attention, "\(run.errors)")
            #expect(run.summary["sent"] == count && run.summary["held"] == 0)
            #expect(run.summary["replaced"] == count - bad.count && run.summary[kind.outcome] == bad.count)
            #expect(try stage.ledger().count == count)
            let rows = try await trial.rows()
            #expect(Set(rows.filter { $0.value.attempts > 0 }.keys) == Set(bad))
            for device in bad { #expect(rows[device]?.state == kind.state && rows[device]?.attempts == 1) }
            #expect(!run.errors.contains("attestwatch: error: "))
        }
    }

    /// Something that is ours, and so meets every receipt.
    struct Ours: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var scenario = "{}"
        var refusesCredential = false
        var arrange: @Sendable (Stage) throws -> Void = { _ in }
        let message: String
    }

    @Test(
        "a fault of ours costs a handful of calls, ends with 77, and charges nobody",
        arguments: [
            Ours(
                testDescription: "a key that is not registered", refusesCredential: true,
                message: "the data server refused the credential, to every receipt that was tried"),
            Ours(
                testDescription: "a header that is not understood", scenario: #"{"faults": [{"status": 400}]}"#,
                message: "the data server refused the requests (400), whichever receipt was tried"),
            Ours(
                testDescription: "a team that the key does not belong to",
                arrange: { stage in
                    try stage.edit {
                        $0.replace("signing_keys", with: "team_id: \"ZZZZZZZZZZ\", signing_keys")
                    }
                },
                message: "the data server refused the credential, to every receipt that was tried"),
            Ours(
                testDescription: "a path that is not there",
                arrange: { stage in
                    try stage.edit { $0.replace("/v1/attestationData", with: "/v1/attestation") }
                },
                message: "the data server answered 404 to every receipt that was tried, though their keys"),
            Ours(
                testDescription: "answers that something in between has changed",
                scenario: #"{"faults": [{"body": "changed_metric"}]}"#,
                message: "the data server's answers do not verify (signature), whichever receipt was tried"),
        ], [1, 300])
    func allBad(ours: Ours, inFlight: Int) async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(
                test, devices: Self.devices, scenario: ours.scenario, refusesCredential: ours.refusesCredential,
                requestsPerSecond: 10_000, inFlight: inFlight)
            let trial = try await Trial(stage, test)
            try ours.arrange(stage)
            let run = try await trial.refresh()
            #expect(run.code == .credentialRefused, "\(run.errors)")
            #expect(run.errors.contains("attestwatch: error: \(ours.message)"))
            // The canary goes alone, and three probes after it.
            let requests = try stage.ledger().count
            #expect(requests <= 4, "\(requests) requests")
            // What was not read by then is as due as it was.
            #expect((requests...Self.devices).contains(try #require(run.summary["held"])))
            #expect(run.summary["quarantined"] == 0)
            let rows = try await trial.rows()
            #expect(rows.values.allSatisfy { $0.attempts == 0 && $0.failures == 0 && $0.state == "active" })
        }
    }

    @Test("a key that ends in the middle of a run with hundreds in flight charges nobody")
    func turnsBad() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(
                test, devices: Self.devices,
                scenario: #"{"faults": [{"match": {"first_request": 51}, "status": 401, "delay_ms": 300}]}"#,
                requestsPerSecond: 10_000, inFlight: 300)
            let trial = try await Trial(stage, test)
            let run = try await trial.refresh()
            #expect(run.code == .credentialRefused, "\(run.errors)")
            #expect(run.summary["replaced"] == 50 && run.summary["quarantined"] == 0)
            let requests = try stage.ledger().count
            #expect(requests <= 50 + 300 + 6, "\(requests) requests")
            #expect(try await trial.rows().values.allSatisfy { $0.attempts == 0 && $0.state == "active" })
        }
    }

    @Test(
        "three receipts of another team that are due first cost three quarantines and not the run", arguments: [1, 300])
    func foreignFirst(inFlight: Int) async throws {
        try await TestDatabase.migrated { test in
            let bad = Self.names([1, 2, 3])
            let stage = try Stage(
                test, devices: 50, scenario: scenario(fault(#""status": 401"#, for: bad)), inFlight: inFlight)
            let trial = try await Trial(stage, test)
            try await trial.setOrder(trial.devices)
            let run = try await trial.refresh()
            #expect(run.code == .attention, "\(run.errors)")
            #expect(run.summary["quarantined"] == 3 && run.summary["replaced"] == 47)
            #expect(try stage.ledger().count == 50)
            let rows = try await trial.rows()
            #expect(Set(rows.filter { $0.value.state == "quarantined" }.keys) == Set(bad))
            #expect(rows.values.allSatisfy { $0.reason == "" || $0.reason == "foreign_team" })
        }
    }
}
