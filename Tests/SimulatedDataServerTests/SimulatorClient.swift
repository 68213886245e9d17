import Foundation
import OpenSSL
import SimulatedDataServer
import TestSupport

/// What can be wrong with an authorization JWT.
enum TokenFlaw {
    case none, bearer, absent, derSignature, padded, foreignKey, truncated
    /// Issued so many seconds ago.
    case age(Int64)
    /// Other claims; `IAT` stands for the time.
    case claims(String)
    /// Another header.
    case header(String)
}

/// Sends receipts to a simulator with the curl binary, and makes JWTs by hand.
final class SimulatorClient {
    /// What came back.
    struct Reply {
        let status: Int
        let version: String
        let headers: [String: String]
        let body: String
    }

    let keyID: String
    var clockOffset: Int64 = 0

    private let simulator: Simulator
    private let team: String
    private let key: ECPrivateKey
    private let scratch: Scratch

    init(_ simulator: Simulator) throws {
        self.simulator = simulator
        let file = simulator.ready.signingKeys[0]
        keyID = file.id
        team = file.team
        let text = try String(contentsOfFile: file.file, encoding: .utf8)
        key = try ECPrivateKey(pkcs8: PEM.decode("PRIVATE KEY", in: text) ?? [])
        scratch = try Scratch()
    }

    func send(
        _ receipt: Data, token: TokenFlaw = .none, to url: String? = nil, options: [String] = []
    ) throws -> Reply {
        try send(text: receipt.base64EncodedString(), token: token, to: url, options: options)
    }

    func send(
        text: String, token: TokenFlaw = .none, to url: String? = nil, options: [String] = []
    ) throws -> Reply {
        let body = try scratch.write("body", Array(text.utf8))
        var words = ["-sS", "--http2", "--noproxy", "*", "--cacert", simulator.ready.tlsCAFile]
        words += ["--data-binary", "@\(body)", "-H", "Content-Type: application/octet-stream"]
        words += ["-D", "\(scratch.path)/headers", "-o", "\(scratch.path)/reply", "-w", "%{http_code} %{http_version}"]
        if let header = try authorization(token) { words += ["-H", "Authorization: \(header)"] }
        try? FileManager.default.removeItem(atPath: "\(scratch.path)/reply")
        let result = try runTool("curl", words + options + [url ?? simulator.ready.production])
        let facts = result.text.split(separator: " ").map(String.init)
        guard result.status == 0, facts.count == 2, let status = Int(facts[0]) else {
            throw CurlFailure(status: result.status, errors: result.errors)
        }
        let reply = (try? Data(contentsOf: URL(filePath: "\(scratch.path)/reply"))) ?? Data()
        return Reply(
            status: status, version: facts[1], headers: try headers(), body: String(decoding: reply, as: UTF8.self))
    }

    private func headers() throws -> [String: String] {
        var headers: [String: String] = [:]
        let text = try String(contentsOfFile: "\(scratch.path)/headers", encoding: .utf8)
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
            if parts.count == 2 { headers[parts[0].lowercased()] = parts[1] }
        }
        return headers
    }

    private func authorization(_ flaw: TokenFlaw) throws -> String? {
        var (header, claims) = (#"{"alg":"ES256","kid":"\#(keyID)"}"#, #"{"iss":"\#(team)","iat":IAT}"#)
        var (age, signer) = (Int64(0), key)
        switch flaw {
        case .absent: return nil
        case .age(let seconds): age = seconds
        case .claims(let text): claims = text
        case .header(let text): header = text
        case .foreignKey: signer = try ECPrivateKey(generatingOn: .p256)
        case .none, .bearer, .derSignature, .padded, .truncated: break
        }
        let issued = Int64(Date().timeIntervalSince1970) + clockOffset - age
        claims = claims.replacing("IAT", with: "\(issued)")
        let signed = base64URL(Array(header.utf8)) + "." + base64URL(Array(claims.utf8))
        let message = Array(signed.utf8)
        switch flaw {
        case .bearer: return "Bearer \(signed).\(base64URL(try signer.signFixedWidth(message, hash: .sha256)))"
        case .derSignature: return "\(signed).\(base64URL(try signer.sign(message, hash: .sha256)))"
        case .padded: return "\(signed).\(base64URL(try signer.signFixedWidth(message, hash: .sha256)))=="
        case .truncated: return signed
        default: return "\(signed).\(base64URL(try signer.signFixedWidth(message, hash: .sha256)))"
        }
    }
}

/// curl got no answer.
struct CurlFailure: Error {
    let status: Int32
    let errors: String
}

func base64URL(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
}
