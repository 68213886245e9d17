import AppAttest
import OpenSSL

/// Does the signer chain to an anchor, everything in the chain valid at that time?
package enum ChainStep {
    /// Lets OpenSSL build and verify the chain at `time`; embedded certificates help to build it and are never trusted.
    package static func check(
        _ candidate: SignerCandidate, anchors: TrustAnchors, at time: Instant
    ) throws(VerificationFailure) -> TrustedSigner {
        func fault(_ reason: String) -> VerificationFailure {
            .chain(
                ChainFault(
                    anchors: anchors.names, signer: candidate.certificate.facts?.subject, time: time, reason: reason))
        }
        let chain: CertificateChain
        do {
            chain = try CertificateChain(
                leaf: candidate.certificate, untrusted: candidate.embedded, anchors: anchors.certificates,
                at: time.seconds)
        } catch { throw fault(error.description) }
        let facts = chain.certificates.compactMap(\.facts)
        guard facts.count == chain.certificates.count else { throw fault("names or dates that cannot be read") }
        return TrustedSigner(candidate, chain: facts)
    }

    /// Whether the chain that was built for `signer` is valid at `time` as well.
    package static func stillHolds(_ signer: TrustedSigner, at time: Instant) -> Bool {
        signer.validity.contains(time.seconds)
    }
}

/// A signer's certificate whose chain OpenSSL has built and verified.
package struct TrustedSigner: Sendable {
    /// The certificate.
    package let certificate: Certificate
    /// Its key.
    package let publicKey: ECPublicKey
    /// Whether it bears the extension of receipt signers.
    package let isMarked: Bool
    /// Its serial number.
    package let serial: SerialNumber
    /// What the chain's certificates say, the signer's first; empty where `CMS_verify` built the chain and kept it.
    package let chain: [CertificateFacts]
    /// When all certificates of `chain` are valid, in seconds since the Unix epoch.
    package let validity: Range<Int64>

    /// Keeps what matters of a signer and its chain, for which the caller vouches.
    package init(_ signer: SignerCandidate, chain: [CertificateFacts]) {
        self.certificate = signer.certificate
        self.publicKey = signer.publicKey
        self.isMarked = signer.certificate.hasExtension(SignerStep.marker)
        self.serial = SerialNumber(signer.certificate.serial)
        self.chain = chain
        let begin = chain.map(\.notBefore).max() ?? 0
        let end = chain.map(\.notAfter).min() ?? 0
        self.validity = begin..<max(begin, end)
    }
}
