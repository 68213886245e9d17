import FoundationEssentials
import System

/// One request and its answer, as the ledger keeps it: never a receipt, never a JWT.
package struct LedgerLine: Codable, Hashable, Sendable {
    /// Counted from 1, through restarts.
    package var number: Int
    /// The simulated time, RFC 3339.
    package var time: String
    /// Which of the two servers was asked.
    package var environment: SimulatedEnvironment
    /// What was answered.
    package var status: UInt32
    /// Whose receipt was sent, base64; nil when it is none of ours.
    package var keyID: String?
    /// SHA-256 of the receipt that was sent, hexadecimal; nil when the body is no base64.
    package var sentDigest: String?
    /// SHA-256 of the good receipt that was answered, hexadecimal.
    package var answeredDigest: String?
    /// Its creation time, RFC 3339.
    package var creationTime: String?
    /// Its metric.
    package var riskMetric: Int?
    /// The JWT's `kid`, when its signature is good.
    package var signingKeyID: String?
    /// The JWT's `iat`, likewise.
    package var issuedAt: Int64?
    /// Who asked, by the User-Agent: at most 64 printable ASCII characters of it.
    package var userAgent: String?
    /// Why the answer is not 200, in words.
    package var problem: String?
    /// The fault that played: its body's name, or `status`, `delay`.
    package var fault: String?

    enum CodingKeys: String, CodingKey {
        case number = "n"
        case time, environment, status
        case keyID = "key_id"
        case sentDigest = "sent_sha256"
        case answeredDigest = "answered_sha256"
        case creationTime = "creation_time"
        case riskMetric = "risk_metric"
        case signingKeyID = "kid"
        case issuedAt = "iat"
        case userAgent = "user_agent"
        case problem, fault
    }

    /// The lines of a ledger file.
    package static func read(_ path: String) throws(SimulatorError) -> [LedgerLine] {
        let decoder = JSONDecoder()
        var lines: [LedgerLine] = []
        for (number, line) in try readFile(path).split(separator: UInt8(ascii: "\n")).enumerated() {
            guard let decoded = try? decoder.decode(LedgerLine.self, from: Data(line)) else {
                throw SimulatorError.unusableLine(path: path, line: number + 1, expected: "a line of a ledger")
            }
            lines.append(decoded)
        }
        return lines
    }
}

/// Appends to the ledger file: a line is in the kernel's hands before the answer is.
struct LedgerWriter: ~Copyable {
    private let file: OpenFile
    private let encoder = JSONEncoder()

    /// Opens the ledger, made with mode 0600 where it is missing.
    init(path: String) throws(SimulatorError) {
        do { file = try OpenFile.appending(path) } catch { throw .system(error) }
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    /// Writes one line.
    func append(_ line: LedgerLine) throws(SimulatorError) {
        guard let text = try? encoder.encode(line) else {
            throw SimulatorError.unusableFile(path: file.descriptor.name, expected: "values that JSON can hold")
        }
        let bytes = [UInt8](text) + [UInt8(ascii: "\n")]
        try system { () throws(SystemError) in try file.descriptor.write(bytes) }
    }
}
