import AppAttest

/// Is this certificate one that signs receipts, and does the operator still believe it?
package enum SignerStep {
    /// Apple's marker on certificates that sign receipts. The CA above them issues other kinds as well.
    package static let marker = "1.2.840.113635.100.12.15"

    /// Whether the signer bears the marker.
    package static func checkMarker(_ signer: TrustedSigner) throws(VerificationFailure) {
        guard signer.isMarked else {
            throw .signerNotMarked(expected: marker, subject: signer.certificate.facts?.subject ?? "a certificate")
        }
    }

    /// Whether the operator has blocked the signer, which stands in for a revocation that is not asked online.
    package static func checkBlocked(
        _ signer: TrustedSigner, blocked: Set<SerialNumber>
    ) throws(VerificationFailure) {
        guard !blocked.contains(signer.serial) else { throw .signerBlocked(serial: signer.serial.description) }
    }
}
