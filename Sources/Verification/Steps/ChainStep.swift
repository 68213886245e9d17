import AppAttest
import OpenSSL

/// Does the signer chain to an anchor, everything in the chain valid at that time?
package enum ChainStep {
    /// Lets OpenSSL build and verify the chain at `time`; embedded certificates help to build it and are never trusted.
    package static func check(
        _ candidate: SignerCandidate, anchors: TrustAnchors, at time: Instant
    ) throws(VerificationFailure) -> TrustedSigner {
        do {
            let chain = try CertificateChain(
                leaf: candidate.certificate, untrusted: candidate.embedded, anchors: anchors.certificates,
                at: time.seconds)
            return TrustedSigner(candidate.certificate, publicKey: candidate.publicKey, chain: chain)
        } catch {
            throw .chain(
                ChainFault(
                    anchors: anchors.names, signer: candidate.certificate.facts.subject, time: time,
                    reason: error.description))
        }
    }

    /// Whether the chain that was built for `signer` is valid at `time` as well.
    package static func stillHolds(_ signer: TrustedSigner, at time: Instant) -> Bool {
        signer.validity.contains(time.seconds)
    }
}

/// A signer's certificate whose chain OpenSSL has built and verified.
package struct TrustedSigner: Sendable {
    /// What the certificate says.
    package let facts: CertificateFacts
    /// Its key.
    package let publicKey: ECPublicKey
    /// When all certificates of the built chain are valid, in seconds since the Unix epoch.
    package let validity: Range<Int64>
    /// Whether it bears the extension of receipt signers.
    package let isMarked: Bool
    /// What the chain's certificates say, the signer's first.
    package let chain: [CertificateFacts]

    /// Keeps what matters of a built chain.
    init(_ certificate: Certificate, publicKey: ECPublicKey, chain: CertificateChain) {
        self.facts = certificate.facts
        self.publicKey = publicKey
        self.isMarked = certificate.hasExtension(SignerStep.marker)
        self.chain = chain.certificates.map(\.facts)
        let begin = self.chain.map(\.notBefore).max() ?? 0
        let end = self.chain.map(\.notAfter).min() ?? 0
        self.validity = begin..<max(begin, end)
    }
}
