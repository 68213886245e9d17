import AppAttest
import OpenSSL

/// Who signed this, and does the signature fit? For receipts of the shape in which Apple sends them.
package enum SignatureStep {
    /// The certificate that the signer names, and those beside it. Nobody vouches for it yet.
    ///
    /// `CMS_verify` takes the first that fits, so this does too. Every certificate has to be readable, since OpenSSL
    /// reads them all before it judges one.
    package static func findSigner(of receipt: SignedReceipt) throws(VerificationFailure) -> SignerCandidate {
        var certificates: [Certificate] = []
        for range in receipt.certificates {
            do { certificates.append(try Certificate(der: Array(receipt[range]))) } catch {
                throw .malformed(reason: error.description)
            }
        }
        guard let signer = receipt.signers.first,
            case .issuerAndSerialNumber(let issuer, let serialNumber) = signer.signerIdentifier,
            let name = IssuerAndSerialNumber(
                issuer: Array(receipt[issuer]), serialNumber: Array(receipt[serialNumber]))
        else { throw .malformed(reason: "signer identifier") }
        guard let leaf = certificates.first(where: { name.names($0) }) else {
            throw .signerMissing(certificates: certificates.count)
        }
        guard let key = leaf.publicKey else {
            throw .signature(reason: "the signer's key is on neither P-256 nor P-384")
        }
        return SignerCandidate(certificate: leaf, publicKey: key, embedded: certificates)
    }

    /// Whether the signature is `key`'s over the content's SHA-256 (RFC 5652 § 5.4, no signed attributes).
    package static func check(_ receipt: SignedReceipt, by key: ECPublicKey) throws(VerificationFailure) {
        guard let signer = receipt.signers.first else { throw .signerCount(expected: 1, found: 0) }
        let signature = Array(receipt[signer.signature])
        guard key.verifies(signature: signature, over: receipt.content, hash: .sha256) else {
            throw .signature(reason: "ECDSA with SHA-256")
        }
    }
}

/// A certificate that a receipt's signer names, not vouched for.
package struct SignerCandidate: Sendable {
    /// The certificate itself.
    package let certificate: Certificate
    /// Its key.
    package let publicKey: ECPublicKey
    /// All certificates of the receipt, in order.
    package let embedded: [Certificate]

    /// Puts a candidate together.
    package init(certificate: Certificate, publicKey: ECPublicKey, embedded: [Certificate]) {
        self.certificate = certificate
        self.publicKey = publicKey
        self.embedded = embedded
    }
}
