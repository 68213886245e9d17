import AppAttest
import OpenSSL

/// Which key does the receipt speak of?
package enum KeyStep {
    /// The key of field 3.
    package static func read(_ payload: ReceiptPayload) throws(VerificationFailure) -> AttestedKey {
        try read(certificate: payload.attestedCertificate)
    }

    /// The key of an attested certificate. The certificate's own validity and chain do not matter any more: Apple
    /// vouches for field 3 by signing the receipt, and attested certificates expire long before receipts do.
    package static func read(certificate der: [UInt8]) throws(VerificationFailure) -> AttestedKey {
        let certificate: Certificate
        do { certificate = try Certificate(der: der) } catch {
            throw .attestedCertificate(reason: error.description)
        }
        guard let key = certificate.publicKey, key.curve == .p256 else {
            throw .attestedCertificate(reason: "its key is not on P-256")
        }
        guard let encoded = try? key.point(), let point = PublicPoint(encoded) else {
            throw .attestedCertificate(reason: "its public point is not of 65 octets")
        }
        return AttestedKey(
            publicPoint: point, keyID: KeyIdentifier(of: point), certificateDigest: SHA256Digest(hashing: der))
    }

    /// The same where the stored receipt's field 3 is known: equal octets are not parsed again.
    package static func read(
        _ payload: ReceiptPayload, knowing replaced: ReplacedReceipt
    ) throws(VerificationFailure) -> AttestedKey {
        let digest = SHA256Digest(hashing: payload.attestedCertificate)
        if digest == replaced.attestedCertificateDigest, let point = point(in: payload, of: replaced.keyID) {
            return AttestedKey(publicPoint: point, keyID: replaced.keyID, certificateDigest: digest)
        }
        return try read(payload)
    }

    /// Whether it is the expected key.
    package static func check(_ key: AttestedKey, expected: KeyIdentifier) throws(VerificationFailure) {
        guard key.keyID == expected else { throw .key(expected: expected, found: key.keyID) }
    }

    /// SubjectPublicKeyInfo of a P-256 key up to its point (RFC 5480 § 2).
    private static let pointHeader: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48,
        0xce,
        0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    /// Finds the point by its place in a certificate that is known to hold the key `keyID`. The digest proves it: no
    /// other octets have it.
    private static func point(in payload: ReceiptPayload, of keyID: KeyIdentifier) -> PublicPoint? {
        let certificate = payload.attestedCertificate
        let length = pointHeader.count + 65
        guard certificate.count >= length else { return nil }
        for start in 0...(certificate.count - length) where certificate[start] == 0x30 && certificate[start + 1] == 0x59
        {
            let end = start + pointHeader.count
            guard certificate[start..<end].elementsEqual(pointHeader) else { continue }
            if let point = PublicPoint(Array(certificate[end..<end + 65])), KeyIdentifier(of: point) == keyID {
                return point
            }
        }
        return nil
    }
}

/// The key that a receipt speaks of.
package struct AttestedKey: Hashable, Sendable {
    /// Its public point.
    package let publicPoint: PublicPoint
    /// SHA-256 of the point.
    package let keyID: KeyIdentifier
    /// SHA-256 of field 3.
    package let certificateDigest: SHA256Digest
}
