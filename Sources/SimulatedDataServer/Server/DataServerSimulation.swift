import FoundationEssentials
import Microhttpd
import OpenSSL

/// Answers requests as Apple's data server does, and goes wrong where the scenario says so. It runs on one thread.
package final class DataServerSimulation {
    /// The one path that there is.
    package static let path = "/v1/attestationData"
    /// Which of the two servers was asked: nginx says it in this header.
    static let environmentHeader = "X-Simulated-Environment"
    /// The request headers that are looked at.
    static let requestHeaders = ["Authorization", "User-Agent", environmentHeader]

    private var fleet: SimulatedFleet
    private var authorization: AuthorizationCheck
    private var clock: SimulatedClock
    private var faults: FaultPlayer
    private var answers: AnswerMint
    private let receiptDays: Int
    private let ledger: LedgerWriter
    private var requests = 0

    /// Puts a server together; a ledger that is there tells what was handed out before, and is continued.
    package init(
        populations: [Population], clientKeys: [AuthorizationCheck.ClientKey], scenario: Scenario,
        clock: SimulatedClock, pki: SimulatedPKI, ledger path: String
    ) throws(SimulatorError) {
        fleet = try SimulatedFleet(populations, scenario: scenario)
        authorization = AuthorizationCheck(keys: clientKeys)
        faults = FaultPlayer((scenario.faults ?? []).map(\.value))
        answers = AnswerMint(pki: pki)
        receiptDays = scenario.receiptDays ?? ReceiptContent.usualDays
        self.clock = clock
        ledger = try LedgerWriter(path: path)
        for line in try LedgerLine.read(path) {
            requests = max(requests, line.number)
            if let digest = line.answeredDigest.flatMap({ octets(hexadecimal: $0) }),
                let created = line.creationTime.flatMap({ SimulatedTime(text: $0) }),
                let keyID = line.keyID.flatMap({ Data(base64Encoded: $0) }),
                let key = fleet.keyNumber([UInt8](keyID))
            {
                fleet.handOut(digest: digest, key: key, creationTime: created)
            }
        }
    }

    /// Answers one request; its ledger line is written first.
    package func answer(_ request: HTTPRequest) -> HTTPResponse {
        requests += 1
        let now = clock.now()
        let environment = request.headers[Self.environmentHeader].flatMap(SimulatedEnvironment.init) ?? .production
        var line = LedgerLine(number: requests, time: now.text, environment: environment, status: 500)
        line.userAgent = request.headers["User-Agent"].map(Self.printable)
        let sent = Data(base64Encoded: Data(request.body)).map { [UInt8]($0) } ?? []
        let digest = SHA256.digest(sent)
        if !sent.isEmpty { line.sentDigest = hexadecimal(digest) }
        let receipt = sent.isEmpty ? nil : fleet.receipt(digest: digest)
        line.keyID = receipt.map { fleet.keys[$0.key].keyText }
        let fault = request.path == Self.path ? faults.next(for: facts(receipt, environment, now)) : nil
        var response: HTTPResponse
        do {
            response = try work(out: request, sent: sent, receipt: receipt, now: now, fault: fault, line: &line)
        } catch {
            line.problem = "\(error)"
            response = HTTPResponse(status: 500)
        }
        decorate(&response, now: now, fault: fault)
        line.status = response.status
        do {
            try ledger.append(line)
        } catch {
            // An answer that the ledger does not hold would be worse than none.
            return HTTPResponse(status: 500)
        }
        return response
    }

    private static func printable(_ text: String) -> String {
        String(decoding: text.utf8.filter { (0x20...0x7e).contains($0) }.prefix(64), as: UTF8.self)
    }

    private func facts(
        _ receipt: SimulatedFleet.Receipt?, _ environment: SimulatedEnvironment, _ now: SimulatedTime
    ) -> RequestFacts {
        let known = receipt.map { receipt in
            let key = fleet.keys[receipt.key]
            return (key.keyID, key.keyText, fleet.devices[key.device].deviceRef)
        }
        let day = Double(now.milliseconds - fleet.start.milliseconds) / 86_400_000
        return RequestFacts(number: requests, environment: environment, day: day, known: known)
    }

    private func work(
        out request: HTTPRequest, sent: [UInt8], receipt: SimulatedFleet.Receipt?, now: SimulatedTime, fault: Fault?,
        line: inout LedgerLine
    ) throws(SimulatorError) -> HTTPResponse {
        if let fault { line.fault = fault.body?.rawValue ?? (fault.status == nil ? "delay" : "status") }
        if let immediate = fault?.immediateResponse { return immediate }
        do throws(Refusal) {
            let key = try admit(request, sentNothing: sent.isEmpty, receipt: receipt, now: now, line: &line)
            return try respond(key, to: receipt, sent: sent, now: now, fault: fault, line: &line)
        } catch {
            switch error {
            case .answer(let status, let problem, let body):
                line.problem = problem
                return HTTPResponse(status: status, body: Array(body.utf8))
            case .failure(let failure): throw failure
            }
        }
    }

    /// Why a request gets no receipt.
    private enum Refusal: Error {
        case answer(status: UInt32, problem: String, body: String)
        case failure(SimulatorError)
    }

    /// The number of the key whose receipt is due for an answer, after all checks in Apple's order.
    private func admit(
        _ request: HTTPRequest, sentNothing: Bool, receipt: SimulatedFleet.Receipt?, now: SimulatedTime,
        line: inout LedgerLine
    ) throws(Refusal) -> Int {
        guard request.path == Self.path else { throw .answer(status: 404, problem: "no such path", body: "") }
        guard request.method == "POST" else { throw .answer(status: 405, problem: "not a POST", body: "") }
        let claims: AuthorizationCheck.Claims
        do {
            claims = try authorization.claims(in: request.headers["Authorization"], now: now)
        } catch { throw .answer(status: 401, problem: error.rawValue, body: "") }
        line.signingKeyID = claims.keyID
        line.issuedAt = claims.issuedAt
        guard let receipt else {
            let problem = sentNothing ? "the body is not base64 of anything" : "the receipt is none of ours"
            throw .answer(status: 400, problem: problem, body: "Bad Payload")
        }
        let device = fleet.devices[fleet.keys[receipt.key].device]
        guard device.team == claims.team else {
            throw .answer(status: 401, problem: "the receipt is another team's", body: "")
        }
        guard device.environment == line.environment else {
            throw .answer(
                status: 400, problem: "the receipt is of \(device.environment.rawValue)", body: "Incorrect Environment")
        }
        if let notBefore = receipt.notBefore, now < notBefore {
            throw .answer(status: 304, problem: "not before \(notBefore.text)", body: "")
        }
        guard device.metric(at: now) > 0 else {
            throw .answer(status: 404, problem: "no attestation in the last 30 days", body: "")
        }
        return receipt.key
    }

    /// The new receipt of a key, or what a fault puts in its place.
    private func respond(
        _ number: Int, to receipt: SimulatedFleet.Receipt?, sent: [UInt8], now: SimulatedTime, fault: Fault?,
        line: inout LedgerLine
    ) throws(Refusal) -> HTTPResponse {
        let key = fleet.keys[number]
        let device = fleet.devices[key.device]
        let metric = device.metric(at: now)
        var content = ReceiptContent(
            appID: device.appID, certificate: key.certificate, clientHash: key.clientHash, token: key.token,
            environment: device.environment, creationTime: now, kind: .receipt(riskMetric: metric))
        content.days = receiptDays
        let answer: Answer
        do {
            answer = try answers.make(
                AnswerMint.Order(
                    content: content, sent: sent, sentCreation: receipt?.creationTime ?? now, now: now,
                    body: fault?.body))
        } catch { throw .failure(error) }
        if let good = answer.goodReceipt {
            let digest = SHA256.digest(good)
            fleet.handOut(digest: digest, key: number, creationTime: now)
            line.answeredDigest = hexadecimal(digest)
            line.creationTime = now.text
            line.riskMetric = fault?.body == .noMetric ? nil : metric
        }
        var response = HTTPResponse(
            status: fault?.status ?? 200, headers: answer.headers, body: answer.body)
        response.isCutInHalf = fault?.body == .cut
        return response
    }

    private func decorate(_ response: inout HTTPResponse, now: SimulatedTime, fault: Fault?) {
        response.headers.append(("Date", now.adding(seconds: fault?.dateOffsetSeconds ?? 0).httpDate))
        var generator = SystemRandomNumberGenerator()
        let trace = (0..<3).map { _ in hexadecimal(withBigEndianBytes(of: generator.next())) }
        response.headers.append(("x-b3-traceid", trace[0] + trace[1]))
        response.headers.append(("x-b3-spanid", trace[2]))
        if let retryAfter = fault?.retryAfter { response.headers.append(("Retry-After", retryAfter)) }
        if let location = fault?.location { response.headers.append(("Location", location)) }
        response.delayMilliseconds = fault?.delayMilliseconds ?? 0
    }

    private func withBigEndianBytes(of number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
}

extension Fault {
    /// The answer of a fault that does not depend on the receipt; nil when the usual answer is to be worked out.
    fileprivate var immediateResponse: HTTPResponse? {
        let content: (type: String, body: [UInt8])? =
            switch body {
            case .empty: ("text/plain", [])
            case .html: ("text/html", Array("<!DOCTYPE html><html><body><h1>Sign in</h1></body></html>".utf8))
            case .json: ("application/json", Array(#"{"error":"unavailable"}"#.utf8))
            case .incorrectEnvironment: ("text/plain", Array("Incorrect Environment".utf8))
            case .garbage: ("application/octet-stream", (0..<512).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 7) })
            case .oversized: ("text/plain", [UInt8](repeating: UInt8(ascii: "A"), count: 131_072))
            default: nil
            }
        if let content {
            return HTTPResponse(status: status ?? 200, headers: [("Content-Type", content.type)], body: content.body)
        }
        return body == nil ? status.map { HTTPResponse(status: $0) } : nil
    }
}
