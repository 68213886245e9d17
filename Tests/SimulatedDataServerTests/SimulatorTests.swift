import Foundation
import OpenSSL
import SimulatedDataServer
import TestSupport
import Testing

@Suite("The running simulator")
struct SimulatorTests {
    static let plan = PopulationPlan(devices: 4, appID: "A1B2C3D4E5.example.app", environment: .production)

    @Test("a receipt is exchanged over HTTP/2 for one that verifies, and the ledger says so")
    func exchange() throws {
        let simulator = try Simulator(Self.plan)
        let client = try SimulatorClient(simulator)
        let sent = simulator.minted.intake[0].receipt
        let reply = try client.send(sent)
        #expect(reply.status == 200)
        #expect(reply.version == "2")
        let receipt = try #require(Data(base64Encoded: reply.body))
        let line = try #require(try simulator.ledger().last)
        let anchor = try String(contentsOfFile: simulator.ready.receiptAnchorFile, encoding: .utf8)
        let verified = try verifyWithOpenSSL(
            [UInt8](receipt), anchor: try #require(PEM.decode("CERTIFICATE", in: anchor)),
            at: try #require(SimulatedTime(text: line.time)))
        #expect(verified.status == 0, "\(verified.errors)")
        #expect(line.number == 1)
        #expect(line.status == 200)
        #expect(line.environment == .production)
        #expect(line.keyID == simulator.minted.intake[0].keyID.base64EncodedString())
        #expect(line.sentDigest == hexadecimal(SHA256.digest([UInt8](sent))))
        #expect(line.answeredDigest == hexadecimal(SHA256.digest([UInt8](receipt))))
        #expect(line.creationTime == line.time)
        #expect(line.riskMetric == 1)
        #expect(line.signingKeyID == client.keyID)
        #expect(reply.headers["x-b3-traceid"]?.count == 32)
        #expect(reply.headers["x-b3-spanid"]?.count == 16)
        #expect(reply.headers["date"] == SimulatedTime(text: line.time)?.httpDate)
    }

    @Test("neither receipts nor JWTs are in the ledger")
    func ledgerKeepsNoSecrets() throws {
        let simulator = try Simulator(Self.plan)
        let client = try SimulatorClient(simulator)
        let reply = try client.send(simulator.minted.intake[0].receipt)
        let text = try String(contentsOfFile: simulator.ready.ledgerFile, encoding: .utf8)
        #expect(text.hasSuffix("\n"))
        #expect(!text.contains(reply.body.prefix(40)))
        #expect(!text.contains("eyJ"))
    }

    @Test("the ledger says who asked, cut to 64 printable characters")
    func userAgent() throws {
        let simulator = try Simulator(Self.plan)
        let client = try SimulatorClient(simulator)
        let receipt = simulator.minted.intake[0].receipt
        _ = try client.send(receipt, options: ["-A", "clïent/1.0 " + String(repeating: "x", count: 100)])
        _ = try client.send(receipt, options: ["-A", ""])
        #expect(
            try simulator.ledger().map(\.userAgent) == ["clent/1.0 " + String(repeating: "x", count: 54), nil])
    }

    /// A flaw of a JWT, and what the server answers.
    static let tokens: [(name: String, flaw: TokenFlaw, status: Int)] = [
        ("bare", .none, 200), ("Bearer", .bearer, 200), ("59 minutes old", .age(3540), 200),
        ("61 minutes old", .age(3660), 401), ("two minutes ahead", .age(-120), 401), ("no header", .absent, 401),
        ("iat as text", .claims(#"{"iss":"A1B2C3D4E5","iat":"IAT"}"#), 401),
        ("iat with a fraction", .claims(#"{"iss":"A1B2C3D4E5","iat":IAT.0}"#), 401),
        ("iat in milliseconds", .claims(#"{"iss":"A1B2C3D4E5","iat":IAT000}"#), 401),
        ("no iat", .claims(#"{"iss":"A1B2C3D4E5"}"#), 401),
        ("another team", .claims(#"{"iss":"ZZZZZZZZZZ","iat":IAT}"#), 401),
        ("unknown kid", .header(#"{"alg":"ES256","kid":"UNKNOWN123"}"#), 401),
        ("another alg", .header(#"{"alg":"none","kid":"SIMULATED1"}"#), 401),
        ("DER signature", .derSignature, 401), ("padded base64", .padded, 401), ("another key", .foreignKey, 401),
        ("two parts", .truncated, 401),
    ]

    @Test("the JWT is judged strictly")
    func authorization() throws {
        let simulator = try Simulator(Self.plan)
        let client = try SimulatorClient(simulator)
        for (name, flaw, status) in Self.tokens {
            let reply = try client.send(simulator.minted.intake[1].receipt, token: flaw)
            #expect(reply.status == status, "\(name)")
            #expect(status == 200 || reply.body.isEmpty, "\(name)")
        }
        #expect(try simulator.ledger().map { Int($0.status) } == Self.tokens.map(\.status))
    }

    @Test("the body must be the base64 of a receipt that was handed out here")
    func body() throws {
        let simulator = try Simulator(Self.plan)
        let client = try SimulatorClient(simulator)
        let receipt = simulator.minted.intake[0].receipt
        let good = receipt.base64EncodedString()
        let wrapped = receipt.base64EncodedString(options: .lineLength76Characters)
        let bodies = [
            "", "{\"receipt\":\"\(good)\"}", wrapped, good + "\n", String(good.dropLast(4)),
            good.replacing("=", with: ""), String(good.reversed()),
        ]
        for body in bodies {
            guard body != good else { continue }
            let reply = try client.send(text: body)
            #expect(reply.status == 400, "\(body.count) characters")
            #expect(reply.body == "Bad Payload")
        }
        #expect(try client.send(text: good).status == 200)
    }

    @Test("another path, another method and the other environment are refused")
    func places() throws {
        let simulator = try Simulator(Self.plan)
        let client = try SimulatorClient(simulator)
        let receipt = simulator.minted.intake[0].receipt
        #expect(try client.send(receipt, to: simulator.ready.production + "s").status == 404)
        #expect(try client.send(receipt, options: ["-X", "PUT"]).status == 405)
        let reply = try client.send(receipt, to: simulator.ready.development)
        #expect(reply.status == 400)
        #expect(reply.body == "Incorrect Environment")
        #expect(try simulator.ledger().map(\.environment) == [.production, .production, .development])
    }

    @Test("time moves: 304 until not-before, then the next receipt, 404 after 30 days of silence")
    func time() throws {
        let simulator = try Simulator(Self.plan)
        let client = try SimulatorClient(simulator)
        let first = try client.send(simulator.minted.intake[0].receipt)
        let answered = try #require(Data(base64Encoded: first.body))
        #expect(try client.send(answered).status == 304)
        client.clockOffset = 86_400
        try simulator.moveClock(toOffsetSeconds: 86_400)
        let second = try client.send(answered)
        #expect(second.status == 200)
        let line = try #require(try simulator.ledger().last)
        #expect(second.headers["date"] == SimulatedTime(text: line.time)?.httpDate)
        client.clockOffset = 31 * 86_400
        try simulator.moveClock(toOffsetSeconds: 31 * 86_400)
        #expect(try client.send(answered).status == 404)
    }

    @Test("a simulator that is started again knows what it handed out")
    func restart() throws {
        let simulator = try Simulator(Self.plan)
        let answered = try #require(
            Data(base64Encoded: try SimulatorClient(simulator).send(simulator.minted.intake[0].receipt).body))
        simulator.stop()
        let again = try Simulator(continuing: simulator)
        #expect(try SimulatorClient(again).send(answered).status == 304)
        #expect(try again.ledger().map(\.number) == [1, 2])
    }

    @Test(
        "nothing is left running, whether standard input ends, SIGTERM comes or the simulator is killed",
        .timeLimit(.minutes(20)), arguments: [nil, SIGTERM, SIGINT, SIGKILL])
    func endings(signal: Int32?) throws {
        let simulator = try Simulator(Self.plan)
        let front = try #require(try children(of: simulator.processIdentifier).first)
        #expect(isAlive(front))
        if let signal { #expect(kill(simulator.processIdentifier, signal) == 0) }
        simulator.stop()
        // The kernel closes a process's files shortly before it has ended, so one look may come too early.
        for process in [front, simulator.processIdentifier] {
            var looks = 0
            while isAlive(process), looks < 100_000 {
                looks += 1
                sched_yield()
            }
            #expect(!isAlive(process))
        }
    }

    private func children(of process: Int32) throws -> [Int32] {
        let text = try String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
        return text.split(separator: " ").compactMap { Int32($0.trimmingCharacters(in: .whitespaces)) }
    }

    /// Whether the process is there and not just waiting for its parent to take note of its end (state Z of proc(5)).
    private func isAlive(_ process: Int32) -> Bool {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
        return text.split(separator: ")").last?.split(separator: " ").first != "Z"
    }
}
