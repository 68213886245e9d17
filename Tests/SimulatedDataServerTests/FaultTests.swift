import Foundation
import OpenSSL
import SimulatedDataServer
import TestSupport
import Testing

@Suite("What goes wrong on purpose")
struct FaultTests {
    /// What a body of the scenario is like on the wire.
    enum Wire {
        /// Not the base64 of anything.
        case notBase64
        /// Base64 of a receipt that OpenSSL refuses.
        case refused
        /// Base64 of a receipt that OpenSSL accepts, and which is the client's to judge.
        case verifies
    }

    static let bodies: [(name: String, wire: Wire)] = [
        ("empty", .notBase64), ("html", .notBase64), ("json", .notBase64), ("garbage", .notBase64),
        ("raw", .notBase64), ("gzip", .notBase64), ("half", .refused), ("damaged_signature", .refused),
        ("changed_metric", .refused), ("foreign_root", .refused), ("unmarked_signer", .verifies),
        ("newline", .verifies), ("wrapped", .verifies), ("no_metric", .verifies), ("ending_signer", .verifies),
        ("stale", .verifies),
        ("future", .verifies), ("older", .verifies), ("echo", .verifies), ("other_key", .verifies),
        ("other_app", .verifies), ("other_environment", .verifies),
    ]

    @Test("each body is what its name says, and only good receipts are in the ledger as answered")
    func bodies() throws {
        let faults = Self.bodies.enumerated().map { index, body in
            let digits = String(index + 1)
            let device = "device-" + String(repeating: "0", count: 6 - digits.count) + digits
            return #"{"match": {"device_refs": ["\#(device)"]}, "body": "\#(body.name)"}"#
        }
        let simulator = try Simulator(
            PopulationPlan(devices: Self.bodies.count, appID: "A1B2C3D4E5.example.app", environment: .development),
            scenario: #"{"faults": [\#(faults.joined(separator: ","))]}"#)
        let client = try SimulatorClient(simulator)
        let anchorText = try String(contentsOfFile: simulator.ready.receiptAnchorFile, encoding: .utf8)
        let anchor = try #require(PEM.decode("CERTIFICATE", in: anchorText))
        for (line, body) in zip(simulator.minted.intake, Self.bodies) {
            let reply = try client.send(line.receipt, to: simulator.ready.development)
            #expect(reply.status == 200, "\(body.name)")
            let entry = try #require(try simulator.ledger().last)
            #expect(entry.fault == body.name)
            let isGood = ["newline", "wrapped", "no_metric", "ending_signer"].contains(body.name)
            #expect((entry.answeredDigest != nil) == isGood, "\(body.name)")
            let joined = reply.body.filter { !$0.isWhitespace }
            let receipt = Data(base64Encoded: joined).map { [UInt8]($0) } ?? []
            #expect(receipt.isEmpty == (body.wire == .notBase64), "\(body.name)")
            if receipt.isEmpty { continue }
            let time = try #require(SimulatedTime(text: entry.time))
            let status = try verifyWithOpenSSL(receipt, anchor: anchor, at: time).status
            #expect((status == 0) == (body.wire == .verifies), "\(body.name)")
        }
    }

    @Test("a cut answer breaks off, and the next request on the connection is served")
    func cut() throws {
        let simulator = try Simulator(
            PopulationPlan(devices: 1, appID: "A1B2C3D4E5.example.app", environment: .production),
            scenario: #"{"faults": [{"body": "cut", "times": 1}]}"#)
        let client = try SimulatorClient(simulator)
        let receipt = simulator.minted.intake[0].receipt
        let failure = #expect(throws: CurlFailure.self) { try client.send(receipt) }
        // curl: 92 stream error, 18 partial file.
        #expect([18, 92].contains(try #require(failure).status))
        #expect(try client.send(receipt).status == 200)
    }

    @Test("nginx says goodbye after so many requests on a connection")
    func goAway() throws {
        let simulator = try Simulator(
            PopulationPlan(devices: 1, appID: "A1B2C3D4E5.example.app", environment: .production),
            options: ["--goaway-after", "2"])
        let words = [
            "-sS", "--http2", "--noproxy", "*", "--cacert", simulator.ready.tlsCAFile, "-w", "%{num_connects}\n",
        ]
        let targets = (0..<4).flatMap { _ in ["-o", "/dev/null", simulator.ready.production] }
        let result = try runTool("curl", words + targets)
        #expect(result.text.split(separator: "\n").compactMap { Int($0) } == [1, 0, 1, 0], "\(result.errors)")
    }

    @Test("faults play for the requests they match, as often as they say, in order")
    func matching() throws {
        let scenario = """
            {"faults": [
              {"match": {"first_request": 2, "last_request": 2}, "status": 429, "retry_after": "120"},
              {"match": {"device_refs": ["device-000002"]}, "status": 503, "times_a_key": 2},
              {"match": {"share": 0}, "status": 500},
              {"match": {"from_day": 1}, "status": 500},
              {"match": {"environment": "development"}, "status": 500},
              {"status": 302, "times": 1}
            ]}
            """
        let simulator = try Simulator(
            PopulationPlan(devices: 3, appID: "A1B2C3D4E5.example.app", environment: .production), scenario: scenario)
        let client = try SimulatorClient(simulator)
        let receipts = simulator.minted.intake.map(\.receipt)
        #expect(try client.send(receipts[0]).status == 302)
        let limited = try client.send(receipts[0])
        #expect(limited.status == 429)
        #expect(limited.headers["retry-after"] == "120")
        #expect(try client.send(receipts[1]).status == 503)
        #expect(try client.send(receipts[1]).status == 503)
        #expect(try client.send(receipts[1]).status == 200)
        #expect(try client.send(receipts[2]).status == 200)
        #expect(try simulator.ledger().map(\.fault) == ["status", "status", "status", "status", nil, nil])
    }

    @Test("a delayed answer comes late, whether its client waits or not; the Date header can be wrong")
    func delays() throws {
        let scenario = """
            {"faults": [
              {"match": {"device_refs": ["device-000001"]}, "delay_ms": 1500},
              {"match": {"device_refs": ["device-000002"]}, "date_offset_s": -7200}
            ]}
            """
        let simulator = try Simulator(
            PopulationPlan(devices: 2, appID: "A1B2C3D4E5.example.app", environment: .production), scenario: scenario)
        let (slow, quick) = (try SimulatorClient(simulator), try SimulatorClient(simulator))
        let (first, second) = (simulator.minted.intake[0].receipt, simulator.minted.intake[1].receipt)
        let skewed = try quick.send(second)
        let line = try #require(try simulator.ledger().last)
        #expect(skewed.headers["date"] == SimulatedTime(text: line.time)?.adding(seconds: -7200).httpDate)
        // The second client hangs up while its answer is held back.
        #expect(try slow.send(first, options: ["--max-time", "20"]).status == 200)
        #expect(throws: CurlFailure.self) { try slow.send(first, options: ["--max-time", "0.3"]) }
        #expect(try quick.send(second, options: ["--max-time", "20"]).status == 200)
    }

    @Test("further attestations of a scenario raise the metric when their time has come")
    func attestations() throws {
        let scenario = #"{"attestations": [{"device_ref": "device-000001", "at_day": 2, "count": 7}]}"#
        let simulator = try Simulator(
            PopulationPlan(
                devices: 20, heavyShare: 0.15, quietShare: 0.1, appID: "A1B2C3D4E5.example.app",
                environment: .production),
            scenario: scenario)
        let client = try SimulatorClient(simulator)
        func readings() throws -> [Int?] {
            for line in simulator.minted.intake { _ = try client.send(line.receipt) }
            return try simulator.ledger().suffix(20).map(\.riskMetric)
        }
        #expect(try readings().allSatisfy { $0 == 1 })
        try simulator.moveClock(toOffsetSeconds: 7 * 86_400)
        client.clockOffset = 7 * 86_400
        let later = try readings()
        #expect(later[0] == 8)
        #expect(later.compactMap { $0 }.sorted().suffix(4) == [5, 8, 10, 30])
        #expect(later.filter { $0 == nil }.count == 2)
        #expect(try simulator.ledger().suffix(20).filter { $0.status == 404 }.count == 2)
    }

    @Test(
        "a scenario that is not understood is refused with what was expected",
        arguments: [#"{"fault": []}"#, #"{"faults": [{"matches": {}}]}"#, #"{"faults": [{"body": "soup"}]}"#, "[]"])
    func strictScenario(text: String) throws {
        let file = try Scratch()
        let path = try file.write("scenario.json", Array(text.utf8))
        #expect(throws: SimulatorError.self) { try Scenario(file: path) }
    }
}
