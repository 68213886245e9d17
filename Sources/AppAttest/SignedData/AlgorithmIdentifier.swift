/// An algorithm as the envelope names it (RFC 5280 § 4.1.1.2), as far as receipts need it.
public struct AlgorithmIdentifier: Hashable, Sendable {
    /// The algorithms that receipts use, and all others as one.
    public enum Algorithm: Hashable, Sendable {
        case sha256
        case ecdsaWithSHA256
        case other
    }

    /// What stands in the place of the parameters.
    public enum Parameters: Hashable, Sendable {
        case absent
        /// An ASN.1 NULL.
        case null
        case other
    }

    /// Which algorithm it is.
    public let algorithm: Algorithm
    /// What its parameters are.
    public let parameters: Parameters
    /// The content octets of its object identifier, as offsets in the receipt.
    public let objectIdentifier: Range<Int>

    /// Takes an AlgorithmIdentifier apart.
    init(reading element: BERElement, in bytes: Span<UInt8>) throws(BERError) {
        var cursor = BERCursor(over: element.content)
        let identifier = try cursor.next(BERIdentifier.objectIdentifier, in: bytes)
        objectIdentifier = identifier.content
        algorithm =
            if !identifier.hasMinimalLength {
                .other
            } else if identifier.contentEquals(ObjectIdentifiers.sha256, in: bytes) {
                .sha256
            } else if identifier.contentEquals(ObjectIdentifiers.ecdsaWithSHA256, in: bytes) {
                .ecdsaWithSHA256
            } else {
                .other
            }
        if cursor.isAtEnd {
            parameters = .absent
            return
        }
        let value = try cursor.next(in: bytes)
        try cursor.finish()
        let isNull = value.identifier == BERIdentifier.null && value.content.isEmpty && value.hasMinimalLength
        parameters = isNull ? .null : .other
    }

    /// Whether it is SHA-256, with parameters as RFC 5754 § 2 allows them: absent or NULL.
    var isPlainSHA256: Bool { algorithm == .sha256 && parameters != .other }
}
