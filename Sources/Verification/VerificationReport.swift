import AppAttest

/// Everything that can be said about a receipt, valid or not: for people who look at one.
public struct VerificationReport: Sendable {
    /// How many bytes it has.
    public let size: Int
    /// How its envelope is written; nil when that cannot be read.
    public let encoding: ReceiptEncoding?
    /// The sizes of the chunks its content came in; nil when it came in one piece or cannot be read.
    public let contentChunks: [Int]?
    /// The payload as far as it can be read; nil when the envelope cannot.
    public let payload: PartialPayload?
    /// The identifier of field 3's key; nil when that cannot be read.
    public let keyID: KeyIdentifier?
    /// The signer's certificate first, where it is known; behind it the chain that was built for it, or where none was,
    /// the receipt's other certificates as they came. Each says which of these it is.
    public let certificates: [SignerCertificate]
    /// The subjects of the anchors that the chain was or would have been built to.
    public let anchors: [String]
    /// The time at which the chain was judged; nil when none was given and field 12 cannot be read.
    public let time: Instant?
    /// How each step ended, in order.
    public let steps: [StepReport]
    /// The failure that ended the verification; nil for a valid receipt.
    public let failure: VerificationFailure?

    /// Whether every step that was asked for has passed.
    public var isValid: Bool { failure == nil }
}

/// How one step ended.
public struct StepReport: Hashable, Sendable {
    /// Ways in which a step can end.
    public enum Outcome: String, Hashable, Sendable {
        case passed
        case failed
        /// An earlier step failed, or the values that this step needs cannot be read.
        case notReached = "not_reached"
    }

    public let step: VerificationStep
    public let outcome: Outcome
    /// The failure in words; nil unless the step failed.
    public let detail: String?
}

/// What a certificate in a receipt says about itself, and what part it has.
public struct SignerCertificate: Hashable, Sendable {
    /// What a certificate is to a receipt.
    public enum Role: Hashable, Sendable {
        /// The signature is by its key.
        case signer
        /// The receipt names it as its signer; no signature by its key was seen.
        case namedSigner
        /// It stands above the one before it in the chain that was built.
        case issuer
        /// It came with the receipt, and nothing is known of its part.
        case embedded
    }

    /// Its part in this receipt.
    public let role: Role
    /// The subject on one line (RFC 2253 § 2): `C=US,O=Apple Inc.,CN=…`.
    public let subject: String
    /// The issuer, written like the subject.
    public let issuer: String
    public let serial: SerialNumber
    public let notBefore: Instant
    public let notAfter: Instant
}
