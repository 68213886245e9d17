import FoundationEssentials
import OpenSSL

/// A 200: what goes on the wire, and the receipt in it when a client should accept it.
struct Answer {
    /// Beside those that every answer has.
    var headers: [(name: String, value: String)] = []
    /// As it goes on the wire.
    let body: [UInt8]
    /// What the ledger names and a later request may bring; nil for a flawed answer.
    let goodReceipt: [UInt8]?
}

/// Makes the receipts that are answered, good ones and the flawed ones that a scenario asks for.
struct AnswerMint {
    /// Everything that an answer depends on.
    struct Order {
        /// The receipt that a good answer holds.
        let content: ReceiptContent
        /// The receipt that was sent.
        let sent: [UInt8]
        /// Its creation time.
        let sentCreation: SimulatedTime
        /// The present time.
        let now: SimulatedTime
        /// What the scenario asks for; nil for a good answer.
        let body: Fault.Body?
    }

    private var pki: SimulatedPKI
    private var foreign: SimulatedPKI?
    private var endingSigner: ReceiptSigner?

    /// Signs under these authorities.
    init(pki: SimulatedPKI) { self.pki = pki }

    /// The answer to one request.
    mutating func make(_ order: Order) throws(SimulatorError) -> Answer {
        guard let body = order.body else { return try good(order) { base64($0) } }
        switch body {
        case .newline: return try good(order) { base64($0) + [0x0a] }
        case .wrapped:
            return try good(order) {
                Array(Data($0).base64EncodedString(options: [.lineLength76Characters]).utf8)
            }
        case .cut: return Answer(body: try good(order) { base64($0) }.body, goodReceipt: nil)
        case .raw: return bad(try receipt(order.content, at: order.now), as: \.self)
        case .half:
            return bad(try receipt(order.content, at: order.now)) { Array(base64($0).prefix($0.count / 6 * 4)) }
        case .gzip:
            // RFC 1952 § 2.3: a header, then a stream that is none.
            return Answer(
                headers: [("Content-Encoding", "gzip")],
                body: [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xff, 0xff, 0xff, 0xff], goodReceipt: nil)
        case .endingSigner: return try signedByEndingSigner(order)
        case .damagedSignature, .changedMetric, .unmarkedSigner, .foreignRoot: return try forged(order, body)
        case .noMetric, .stale, .future, .older: return try misdated(order, body)
        case .echo: return bad(order.sent)
        case .otherKey, .otherApp, .otherEnvironment: return try misplaced(order, body)
        // These do not look at the receipt and are answered before it comes to one.
        case .empty, .html, .json, .incorrectEnvironment, .garbage, .oversized:
            return Answer(body: [], goodReceipt: nil)
        }
    }

    private mutating func good(_ order: Order, _ encode: ([UInt8]) -> [UInt8]) throws(SimulatorError) -> Answer {
        let receipt = try receipt(order.content, at: order.now)
        return Answer(body: encode(receipt), goodReceipt: receipt)
    }

    private mutating func signedByEndingSigner(_ order: Order) throws(SimulatorError) -> Answer {
        let signer =
            if let endingSigner { endingSigner } else {
                try pki.makeSigner(notBefore: order.now.adding(days: -385), notAfter: order.now.adding(days: 10))
            }
        endingSigner = signer
        let receipt = try cryptography { () throws(OpenSSLError) in try signer.envelope(order.content.encoded) }
        return Answer(body: base64(receipt), goodReceipt: receipt)
    }

    private func bad(_ receipt: [UInt8], as encode: ([UInt8]) -> [UInt8] = base64) -> Answer {
        Answer(body: encode(receipt), goodReceipt: nil)
    }

    /// Receipts that do not verify.
    private mutating func forged(_ order: Order, _ body: Fault.Body) throws(SimulatorError) -> Answer {
        var content = order.content
        let signer = try pki.signer(at: order.now)
        let payload = content.encoded
        switch body {
        case .damagedSignature:
            var signature = try cryptography { () throws(OpenSSLError) in try signer.sign(payload) }
            signature[signature.count - 1] ^= 1
            return bad(signer.envelope(payload, signature: signature))
        case .changedMetric:
            let signature = try cryptography { () throws(OpenSSLError) in try signer.sign(payload) }
            content.kind = .receipt(riskMetric: 1_000_001)
            return bad(signer.envelope(content.encoded, signature: signature))
        case .unmarkedSigner:
            let unmarked = try pki.makeSigner(
                notBefore: order.now.adding(days: -30), notAfter: order.now.adding(days: 365), marked: false)
            return bad(try cryptography { () throws(OpenSSLError) in try unmarked.envelope(payload) })
        default:
            var other = if let foreign { foreign } else { try SimulatedPKI() }
            let stranger = try other.signer(at: order.now)
            foreign = other
            return bad(try cryptography { () throws(OpenSSLError) in try stranger.envelope(payload) })
        }
    }

    /// Receipts that verify, and are of the right key, but say something else than they should.
    private mutating func misdated(_ order: Order, _ body: Fault.Body) throws(SimulatorError) -> Answer {
        var content = order.content
        switch body {
        case .stale: content.creationTime = order.now.adding(seconds: -600)
        case .future: content.creationTime = order.now.adding(seconds: 3600)
        case .older: content.creationTime = order.sentCreation.adding(seconds: -3600)
        default:
            content.kind = .receipt(riskMetric: nil)
            let receipt = try receipt(content, at: order.now)
            return Answer(body: base64(receipt), goodReceipt: receipt)
        }
        return bad(try receipt(content, at: order.now))
    }

    /// Receipts that verify, and are somebody else's.
    private mutating func misplaced(_ order: Order, _ body: Fault.Body) throws(SimulatorError) -> Answer {
        var content = order.content
        switch body {
        case .otherKey:
            let other = try pki.attestKey(appID: content.appID, at: order.now)
            content.certificate = other.certificate
            content.clientHash = other.clientHash
            content.token = other.token
        case .otherApp: content.appID += ".other"
        default: content.environment = content.environment == .production ? .development : .production
        }
        return bad(try receipt(content, at: order.now))
    }

    private mutating func receipt(_ content: ReceiptContent, at now: SimulatedTime) throws(SimulatorError) -> [UInt8] {
        let signer = try pki.signer(at: now)
        return try cryptography { () throws(OpenSSLError) in try signer.envelope(content.encoded) }
    }
}

/// Standard base64 with padding, in one line.
private func base64(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](Data(bytes).base64EncodedData())
}
