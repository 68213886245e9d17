import AppAttest

/// Why a receipt is not believed: a case for each thing that a step can find, with what was expected and found.
public enum VerificationFailure: Error, Hashable, Sendable {
    /// The envelope cannot be read, or is not one of a receipt.
    case envelope(ReceiptError)
    /// OpenSSL cannot read the envelope or a certificate in it.
    case malformed(reason: String)
    /// Not exactly one signer.
    case signerCount(expected: Int, found: Int)
    /// The certificate that the signer names is not in the receipt; `certificates` are.
    case signerMissing(certificates: Int)
    /// The signature is not one of the signer's key over the content.
    case signature(reason: String)
    /// No valid chain to one of `anchors` at the time.
    case chain(ChainFault)
    /// The signer chains to the anchor but is not one for receipts.
    case signerNotMarked(expected: String, subject: String)
    /// The signer's serial number, in hexadecimal, is on the list of blocked ones.
    case signerBlocked(serial: String)
    /// The content is signed by Apple but not a receipt's payload that can be used.
    case payload(ReceiptError)
    /// An answer of another type than data servers give.
    case receiptType(expected: ReceiptType, found: ReceiptType)
    /// Another app's receipt.
    case appID(expected: AppID, found: AppID)
    /// Another environment's receipt.
    case environment(expected: Set<Environment>, found: Environment)
    /// Field 3 holds no certificate with a P-256 key.
    case attestedCertificate(reason: String)
    /// Another key's receipt.
    case key(expected: KeyIdentifier, found: KeyIdentifier)
    /// An answer that is not newer than the receipt it was asked for with.
    case notNewer(than: Instant, found: ReceiptTime)
    /// An answer made longer ago than `limit` before `reference`.
    case stale(ReceiptTime, reference: Instant, limit: Duration)
    /// An answer made more than `tolerance` after `reference`.
    case fromFuture(ReceiptTime, reference: Instant, tolerance: Duration)
}

/// What is wrong with a signer's chain.
public struct ChainFault: Hashable, Sendable {
    /// The subjects of the anchors that were tried.
    public let anchors: [String]
    /// The signer's certificate.
    public let signer: String?
    /// The time at which the chain was judged.
    public let time: Instant
    /// OpenSSL's words, and how far from the signer it found the fault where it says so.
    public let reason: String

    /// Puts a fault together.
    public init(anchors: [String], signer: String?, time: Instant, reason: String) {
        self.anchors = anchors
        self.signer = signer
        self.time = time
        self.reason = reason
    }
}

extension VerificationFailure {
    /// A stable word for machines.
    public var word: String {
        switch self {
        case .envelope(let error): error.word
        case .malformed: "malformed"
        case .signerCount: "signer_count"
        case .signerMissing: "signer_missing"
        case .signature: "signature"
        case .chain: "chain"
        case .signerNotMarked: "signer_not_marked"
        case .signerBlocked: "signer_blocked"
        case .payload(let error): error.word
        case .receiptType: "receipt_type"
        case .appID: "app_id"
        case .environment: "environment"
        case .attestedCertificate: "attested_certificate"
        case .key: "key"
        case .notNewer: "not_newer"
        case .stale: "stale"
        case .fromFuture: "from_future"
        }
    }

    /// The step that found it.
    public var step: VerificationStep {
        switch self {
        case .envelope, .malformed, .signerCount: .envelope
        case .signerMissing, .signature: .signature
        case .chain: .chain
        case .signerNotMarked, .signerBlocked: .signer
        case .payload: .payload
        case .receiptType: .receiptType
        case .appID: .appID
        case .environment: .environment
        case .attestedCertificate, .key: .key
        case .notNewer: .succession
        case .stale, .fromFuture: .freshness
        }
    }
}
