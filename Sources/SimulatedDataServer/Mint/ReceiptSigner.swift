import OpenSSL

/// One signer of receipts: a P-256 key, its certificate, and the certificates above that go into each receipt.
package struct ReceiptSigner: Sendable {
    /// Signs contents.
    let key: ECPrivateKey
    /// The issuer that a SignerInfo names.
    let issuer: DistinguishedName
    /// The serial number that a SignerInfo names, big-endian.
    let serial: [UInt8]
    /// Signer, intermediate, root, in the order that Apple embeds them.
    package let certificates: [[UInt8]]

    /// A detached ECDSA signature with SHA-256 over `content`, DER.
    package func sign(_ content: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        try key.sign(content, hash: .sha256)
    }

    /// The receipt around `payload`: a SignedData (RFC 5652 § 5.1) without signed attributes, as Apple sends it.
    package func envelope(_ payload: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        envelope(payload, signature: try sign(payload))
    }

    /// The receipt around `payload` with a signature made elsewhere, for instance over something else.
    ///
    /// Every constructed part down to the certificates has an indefinite length; content comes in 1000-octet pieces.
    package func envelope(_ payload: [UInt8], signature: [UInt8]) -> [UInt8] {
        let digest = DER.sequence([ObjectIdentifier.sha256, DER.null])
        let content = BER.indefinite(
            0x30,
            [ObjectIdentifier.data, BER.indefinite(0xa0, [BER.chunkedOctetString(payload, size: Self.pieceSize)])])
        let signerInfo = DER.sequence([
            DER.integer(1), DER.sequence([issuer.der, DER.integer(serial)]), digest,
            DER.sequence([ObjectIdentifier.ecdsaWithSHA256]), DER.octetString(signature),
        ])
        let signedData = BER.indefinite(
            0x30,
            [
                DER.integer(1), DER.set([digest]), content, BER.indefinite(0xa0, certificates), DER.set([signerInfo]),
            ])
        return BER.indefinite(0x30, [ObjectIdentifier.signedData, BER.indefinite(0xa0, [signedData])])
    }

    /// Octets in a piece of the content.
    private static let pieceSize = 1000
}
