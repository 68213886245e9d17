import FoundationEssentials
import OpenSSL

/// One attested key as Apple's attestation would have left it: key, certificate, hash and token.
package struct MintedKey: Sendable {
    /// SHA-256 of the public point.
    package let keyID: [UInt8]
    /// The attested certificate, DER: field 3 of every receipt of this key.
    package let certificate: [UInt8]
    /// The 32 octets that the app gave to attestKey.
    package let clientHash: [UInt8]
    /// Field 5 of every receipt of this attestation.
    package let token: String

    /// Puts together what was minted before.
    package init(keyID: [UInt8], certificate: [UInt8], clientHash: [UInt8], token: String) {
        self.keyID = keyID
        self.certificate = certificate
        self.clientHash = clientHash
        self.token = token
    }
}

extension SimulatedPKI {
    /// A new attested key of an app, attested at `time`.
    package func attestKey(appID: String, at time: SimulatedTime) throws(SimulatorError) -> MintedKey {
        do throws(OpenSSLError) {
            let point = try ECPrivateKey(generatingOn: .p256).publicPoint()
            let keyID = SHA256.digest(point)
            let random = try randomBytes(96)
            let clientHash = Array(random[..<32])
            let template = CertificateTemplate(
                subject: DistinguishedName(commonName: hexadecimal(keyID), organizationalUnit: "AAA Certification"),
                publicPoint: point, curve: .p256, notBefore: time.adding(days: -1), notAfter: time.adding(days: 2),
                extensions: Self.attestedExtensions(appID: appID, nonce: SHA256.digest(keyID + clientHash)))
            return MintedKey(
                keyID: keyID, certificate: try attestationIntermediate.issue(template), clientHash: clientHash,
                token: Data(random[32...]).base64EncodedString())
        } catch { throw .cryptography(error) }
    }

    /// What stands in attested certificates of 2026 beside the key, in the same order; opaque to a reader.
    private static func attestedExtensions(appID: String, nonce: [UInt8]) -> [CertificateExtension] {
        let yes = DER.integer(1)
        let keyFacts = DER.sequence([
            DER.context(4, DER.integer(10)), taggedHigh(1200, DER.integer(0)), taggedHigh(1201, yes),
            taggedHigh(1202, yes), taggedHigh(1203, yes), taggedHigh(1204, DER.octetString(Array(appID.utf8))),
            taggedHigh(1206, DER.integer(5)), taggedHigh(1207, DER.integer(0)), taggedHigh(1209, DER.integer(0)),
        ])
        let systemFacts = DER.sequence([
            taggedHigh(1400, DER.octetString(Array("27.0.1".utf8))), taggedHigh(1104, DER.integer(2)),
            taggedHigh(1403, DER.octetString(Array("24A5260a".utf8))),
            taggedHigh(1420, DER.octetString(Array("24.1.446.0.0,0".utf8))),
            taggedHigh(1026, DER.octetString(Array("iphoneos".utf8))),
        ])
        // keyUsage: digitalSignature, contentCommitment, keyEncipherment, dataEncipherment.
        return [
            .basicConstraints(isAuthority: false), .keyUsage(0xf0),
            CertificateExtension(ObjectIdentifier.attestationKeyFacts, value: keyFacts),
            CertificateExtension(ObjectIdentifier.attestationSystemFacts, value: systemFacts),
            CertificateExtension(
                ObjectIdentifier.attestationNonce, value: DER.sequence([DER.context(1, DER.octetString(nonce))])),
        ]
    }

    /// `[number]` EXPLICIT with a number above 30, which takes the long form of the identifier (X.690 § 8.1.2.4).
    private static func taggedHigh(_ number: UInt16, _ contents: [UInt8]) -> [UInt8] {
        [0xbf, 0x80 | UInt8(number >> 7), UInt8(number & 0x7f)] + DER.length(contents.count) + contents
    }
}

/// Lower-case hexadecimal.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 0xf)]] }
    return String(decoding: text, as: UTF8.self)
}
