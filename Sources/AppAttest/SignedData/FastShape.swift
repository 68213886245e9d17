/// Whether an envelope is exactly of the shape in which Apple sends receipts, whose signature can be verified without
/// OpenSSL's CMS reader. Certificates are only counted and cut out here, not read.
public enum FastShape: Hashable, Sendable {
    /// SignedData v1 with one SignerInfo v1, named by issuer and serial number; SHA-256 and ecdsa-with-SHA256; id-data
    /// attached; no attributes, no revocation lists; minimal lengths, and indefinite ones only where Apple has them.
    case exact
    /// Legal perhaps, but another shape.
    case departs(ShapeDeparture)
}

/// The first point in which an envelope departs from the shape in which Apple sends receipts.
public enum ShapeDeparture: Hashable, Sendable {
    /// SignedData is not version 1.
    case signedDataVersion(found: Int)
    /// Not exactly SHA-256 in digestAlgorithms.
    case digestAlgorithms(count: Int)
    /// The content is not id-data.
    case contentType
    /// Neither a certificate nor anything else in the certificates field, or no such field.
    case noCertificates
    /// A certificate of another form than X.509.
    case otherCertificateChoice
    /// Revocation lists are there.
    case revocationInformation
    /// Not exactly one SignerInfo.
    case signerCount(found: Int)
    /// The SignerInfo is not version 1.
    case signerInfoVersion(found: Int)
    /// The signer is named by a subject key identifier.
    case subjectKeyIdentifier
    /// The serial number in the signer identifier is empty or has needless leading octets.
    case serialNumber
    /// The signer's digest is not SHA-256.
    case digestAlgorithm
    /// The signature is not ecdsa-with-SHA256 without parameters.
    case signatureAlgorithm
    /// Signed attributes are there.
    case signedAttributes
    /// Unsigned attributes are there.
    case unsignedAttributes
    /// A length with more octets than it needs.
    case longLength(ReceiptPart)
    /// An indefinite length where Apple has a definite one.
    case indefiniteLength(ReceiptPart)
}
