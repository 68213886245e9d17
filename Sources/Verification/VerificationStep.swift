/// The steps of a verification, in the order in which they are taken; the raw value is its stable word.
public enum VerificationStep: String, Hashable, Sendable, CaseIterable {
    /// A CMS SignedData with attached content and one signer, within the size limit, nothing behind it.
    case envelope
    /// The signature fits the content and the signer's certificate.
    case signature
    /// The signer's certificate chains to a trust anchor, all of it valid at the receipt's creation time.
    case chain
    /// The signer's certificate is one for receipts, and not blocked.
    case signer
    /// The content is a receipt's payload, complete and without contradictions.
    case payload
    /// The receipt is of the type that data servers answer with.
    case receiptType = "receipt_type"
    /// The receipt is of the expected app.
    case appID = "app_id"
    /// The receipt is of the expected environment.
    case environment
    /// The receipt is of the expected key.
    case key
    /// The receipt is newer than the one it replaces.
    case succession
    /// The receipt was made just now.
    case freshness
}
