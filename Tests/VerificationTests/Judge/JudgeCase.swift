import AppAttest
import Verification

/// One receipt, genuine, minted or spoilt, and the question that is asked about it.
struct JudgeCase: Sendable {
    /// What is asked.
    enum Request: Sendable {
        case stored(ExpectedReceipt)
        case answer(ReplacedReceipt, serverDate: Instant)
    }

    /// What the verdicts have to be.
    enum Verdict: Sendable {
        /// Both accept.
        case accepted
        /// We refuse it, for this.
        case refused(FailureKind)
        /// We refuse it for whatever comes first.
        case refusedSomehow
        /// Damage may hit a place that means nothing.
        case either
    }

    let bytes: [UInt8]
    let request: Request
    /// Field 12 of the content that was signed: when `CMS_verify` has to judge the chain.
    let time: Instant
    let verdict: Verdict
}

/// The cases of `VerificationFailure` without what they carry.
enum FailureKind: String, Hashable, Sendable, CaseIterable {
    case envelope, malformed, signerCount, signerMissing, signature, chain, signerNotMarked, signerBlocked, payload
    case receiptType, appID, environment, attestedCertificate, key, notNewer, stale, fromFuture

    init(_ failure: VerificationFailure) {
        switch failure {
        case .envelope: self = .envelope
        case .malformed: self = .malformed
        case .signerCount: self = .signerCount
        case .signerMissing: self = .signerMissing
        case .signature: self = .signature
        case .chain: self = .chain
        case .signerNotMarked: self = .signerNotMarked
        case .signerBlocked: self = .signerBlocked
        case .payload: self = .payload
        case .receiptType: self = .receiptType
        case .appID: self = .appID
        case .environment: self = .environment
        case .attestedCertificate: self = .attestedCertificate
        case .key: self = .key
        case .notNewer: self = .notNewer
        case .stale: self = .stale
        case .fromFuture: self = .fromFuture
        }
    }
}

/// Why we may refuse what `CMS_verify` accepts: the whole list.
enum StricterReason: String, Hashable, Sendable, CaseIterable {
    /// A step that a CMS verifier does not have.
    case furtherStep = "signer, payload, app, environment, key, succession or freshness"
    case trailingBytes = "bytes behind the envelope"
    case needlessNesting = "strings in chunks that need none, or chunks in chunks"
    /// OpenSSL joins whatever elements a string is cut into, of any type.
    case otherChunk = "chunks of content that are no OCTET STRINGs"
    /// OpenSSL does not ask for the constructed bit of a SEQUENCE OF or SET OF, tagged or not.
    case notConstructed = "a list that is not marked as constructed"
    /// OpenSSL never looks at the version numbers.
    case negativeVersion = "a version number below zero"
    case tooLarge = "more than 64 KiB"
    case secondSigner = "more than one signer"

    /// The reason behind a failure; nil when `CMS_verify` should have refused as well.
    init?(_ failure: VerificationFailure) {
        switch failure {
        case .signerNotMarked, .signerBlocked, .payload, .receiptType, .appID, .environment, .attestedCertificate, .key,
            .notNewer, .stale, .fromFuture:
            self = .furtherStep
        case .envelope(.trailingBytes): self = .trailingBytes
        case .envelope(.needlessNesting): self = .needlessNesting
        case .envelope(.malformed(.contentChunk, .unexpectedIdentifier)): self = .otherChunk
        case .envelope(.malformed(_, .strayEndOfContents)), .envelope(.malformed(.contentChunk, .unreadableTag)):
            self = .otherChunk
        case .envelope(.malformed(_, .unexpectedIdentifier(let expected, let found, _)))
        where expected & 0x20 != 0 && [expected & ~0x20, 0x80, 0x81].contains(found):
            self = .notConstructed
        case .envelope(.malformed(.version, .unreadableInteger)): self = .negativeVersion
        case .envelope(.tooLarge): self = .tooLarge
        case .signerCount: self = .secondSigner
        case .envelope, .malformed, .signerMissing, .signature, .chain: return nil
        }
    }
}
