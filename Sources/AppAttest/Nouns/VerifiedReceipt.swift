/// A receipt whose signature, chain and payload were verified. `Verification` alone should make one.
public struct VerifiedReceipt: Hashable, Sendable {
    /// The receipt as received.
    public let bytes: ReceiptBytes
    /// The SHA-256 of `bytes`.
    public let digest: SHA256Digest
    /// What it says.
    public let payload: ReceiptPayload
    /// The attested key's public point, from field 3.
    public let publicPoint: PublicPoint
    /// The key identifier: SHA-256 of `publicPoint`.
    public let keyID: KeyIdentifier
    /// The SHA-256 of field 3, by which the next answer is known to speak of the same key without parsing it.
    public let attestedCertificateDigest: SHA256Digest
    /// The serial number of the signer's certificate, big-endian without leading zero octets.
    public let signerSerial: [UInt8]

    /// Puts the parts together; the caller vouches for them.
    public init(
        bytes: ReceiptBytes, digest: SHA256Digest, payload: ReceiptPayload, publicPoint: PublicPoint,
        keyID: KeyIdentifier, attestedCertificateDigest: SHA256Digest, signerSerial: [UInt8]
    ) {
        self.bytes = bytes
        self.digest = digest
        self.payload = payload
        self.publicPoint = publicPoint
        self.keyID = keyID
        self.attestedCertificateDigest = attestedCertificateDigest
        self.signerSerial = signerSerial
    }
}
