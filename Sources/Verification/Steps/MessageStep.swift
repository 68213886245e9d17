import AppAttest
import OpenSSL

/// Signature and chain in one, by OpenSSL's `CMS_verify`, for every shape but the one in which Apple sends receipts.
package enum MessageStep {
    /// Verifies the whole message at `time`, which the caller read from the content that is proven here.
    package static func check(
        _ receipt: SignedReceipt, anchors: TrustAnchors, at time: Instant
    ) throws(VerificationFailure) -> TrustedSigner {
        let verified: CMS.Verified
        do throws(CMS.Failure) {
            verified = try CMS.verify(receipt.bytes, anchors: anchors.certificates, at: time.seconds)
        } catch {
            throw failure(error, receipt, anchors, time)
        }
        // The steps that follow read our own content: it has to be the one that was proven.
        guard verified.content == receipt.content else { throw .signature(reason: "over other content") }
        guard verified.signers.count == 1 else { throw .signerCount(expected: 1, found: verified.signers.count) }
        let signer = verified.signers[0]
        guard let key = signer.publicKey else {
            throw .signature(reason: "the signer's key is on neither P-256 nor P-384")
        }
        return TrustedSigner(SignerCandidate(certificate: signer, publicKey: key, embedded: []), chain: [])
    }

    private static func failure(
        _ error: CMS.Failure, _ receipt: SignedReceipt, _ anchors: TrustAnchors, _ time: Instant
    ) -> VerificationFailure {
        switch error {
        case .malformed(let error): .malformed(reason: error.description)
        case .signerMissing: .signerMissing(certificates: receipt.certificates.count)
        case .signature(let error): .signature(reason: error.description)
        case .chain(let words):
            .chain(ChainFault(anchors: anchors.names, signer: nil, time: time, reason: words))
        }
    }
}
