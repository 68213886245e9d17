/// One signer of the envelope (RFC 5652 § 5.3). All ranges are offsets in the receipt.
public struct SignerInfo: Hashable, Sendable {
    /// How the signer's certificate is named.
    public enum SignerIdentifier: Hashable, Sendable {
        /// The issuer's Name as a whole element, and the content octets of the serial number.
        case issuerAndSerialNumber(issuer: Range<Int>, serialNumber: Range<Int>)
        /// The octets of the key identifier.
        case subjectKeyIdentifier(Range<Int>)
    }

    /// 1 with issuer and serial number, 3 with a subject key identifier.
    public let version: Int
    /// How the signer's certificate is named.
    public let signerIdentifier: SignerIdentifier
    /// The whole signer identifier element; with the certificates field it decides which certificate signs.
    public let signerIdentifierRange: Range<Int>
    /// The digest algorithm.
    public let digestAlgorithm: AlgorithmIdentifier
    /// The signed attributes as a whole element; nil when there are none.
    public let signedAttributes: Range<Int>?
    /// The signature algorithm.
    public let signatureAlgorithm: AlgorithmIdentifier
    /// The octets of the signature; for ECDSA the DER of r and s.
    public let signature: Range<Int>
    /// The unsigned attributes as a whole element; nil when there are none.
    public let unsignedAttributes: Range<Int>?
}
