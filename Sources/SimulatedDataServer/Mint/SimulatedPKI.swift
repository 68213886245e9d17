import OpenSSL

/// The simulator's own authorities: for receipts, for attested certificates and for TLS. Nothing of Apple's is in them.
package struct SimulatedPKI {
    /// P-384, self-signed: what receipts are verified against.
    package let receiptRoot: CertificateAuthority
    /// P-256, signed by the root with SHA-384, marked as Apple's intermediate is.
    package let receiptIntermediate: CertificateAuthority
    /// P-384, self-signed: what attested certificates end in.
    package let attestationRoot: CertificateAuthority
    /// Issues attested certificates. P-256 here where Apple's is P-384: signing is thirty times cheaper.
    package let attestationIntermediate: CertificateAuthority
    /// P-256, self-signed: what a client trusts for TLS.
    package let tlsRoot: CertificateAuthority

    private var keys: KeyRing
    private var signers: [Int64: ReceiptSigner] = [:]

    /// Authorities over the keys of a ring; their certificates are made anew, the same but for the signatures.
    package init(keys: KeyRing = KeyRing(directory: nil)) throws(SimulatorError) {
        var keys = keys
        receiptRoot = try Self.root("Simulated Receipt Root CA", key: keys.key("receipt-root", curve: .p384))
        receiptIntermediate = try Self.intermediate(
            "Simulated Application Integration CA", under: receiptRoot,
            key: keys.key("receipt-intermediate", curve: .p256), markers: [.marker(ObjectIdentifier.intermediateMarker)]
        )
        attestationRoot = try Self.root(
            "Simulated App Attestation Root CA", key: keys.key("attestation-root", curve: .p384))
        attestationIntermediate = try Self.intermediate(
            "Simulated App Attestation CA", under: attestationRoot,
            key: keys.key("attestation-intermediate", curve: .p256), markers: [])
        tlsRoot = try Self.root("Simulated TLS Root CA", key: keys.key("tls-root", curve: .p256))
        self.keys = keys
    }

    /// The signer of receipts at a time: each lives 395 days and is followed by the next 30 days before its end.
    package mutating func signer(at time: SimulatedTime) throws(SimulatorError) -> ReceiptSigner {
        let sinceFirst = time.milliseconds - Self.firstSignerStart.milliseconds
        let index = sinceFirst / (Self.signerChangeDays * 86_400_000)
        if let known = signers[index] { return known }
        let start = Self.firstSignerStart.adding(days: index * Self.signerChangeDays)
        let key = try keys.key("receipt-signer-\(index)", curve: .p256)
        let signer = try makeSigner(key: key, notBefore: start, notAfter: start.adding(days: Self.signerLifeDays))
        signers[index] = signer
        return signer
    }

    /// A signer outside the schedule, for tests: without the marker, for some purposes only, or with a validity of its
    /// own.
    package func makeSigner(
        key: ECPrivateKey? = nil, notBefore: SimulatedTime, notAfter: SimulatedTime, marked: Bool = true,
        forSigning: Bool = true, purposes: [KeyPurpose] = []
    ) throws(SimulatorError) -> ReceiptSigner {
        do throws(OpenSSLError) {
            let signingKey = if let key { key } else { try ECPrivateKey(generatingOn: .p256) }
            let point = try signingKey.publicPoint()
            let certificate = try receiptIntermediate.issue(
                CertificateTemplate(
                    subject: DistinguishedName(commonName: "Simulated Application Attestation Fraud Receipt Signing"),
                    publicPoint: point, curve: .p256, notBefore: notBefore, notAfter: notAfter,
                    extensions: [.basicConstraints(isAuthority: false), .keyUsage(forSigning ? 0x80 : 0x08)]
                        + (purposes.isEmpty ? [] : [.extendedKeyUsage(purposes)])
                        + (marked ? [.marker(ObjectIdentifier.receiptSignerMarker)] : [])))
            return ReceiptSigner(
                key: signingKey, issuer: receiptIntermediate.subject, serial: serialNumber(for: point),
                certificates: [certificate, receiptIntermediate.certificate, receiptRoot.certificate])
        } catch { throw .cryptography(error) }
    }

    /// A TLS server certificate for `localhost` and `127.0.0.1`, with its key as PKCS#8.
    package mutating func tlsServer() throws(SimulatorError) -> (certificate: [UInt8], key: [UInt8]) {
        let key = try keys.key("tls-server", curve: .p256)
        do throws(OpenSSLError) {
            let names = DER.contextPrimitive(2, Array("localhost".utf8)) + DER.contextPrimitive(7, [127, 0, 0, 1])
            let certificate = try tlsRoot.issue(
                CertificateTemplate(
                    subject: DistinguishedName(commonName: "localhost"), publicPoint: key.publicPoint(), curve: .p256,
                    notBefore: Self.authorityStart, notAfter: Self.authorityEnd,
                    extensions: [
                        .basicConstraints(isAuthority: false), .keyUsage(0x80),
                        .extendedKeyUsage([.serverAuthentication]),
                        CertificateExtension(
                            ObjectIdentifier.subjectAlternativeName, value: DER.element(0x30, names)),
                    ]))
            return (certificate, try key.pkcs8())
        } catch { throw .cryptography(error) }
    }

    /// The first signer's first moment. Later ones follow on it, whatever time the clock shows.
    private static let firstSignerStart = SimulatedTime(seconds: 1_546_300_800)
    private static let signerChangeDays: Int64 = 365
    private static let signerLifeDays: Int64 = 395
    /// 2015-01-01 to 2049-12-31: longer than any moved clock reaches.
    private static let authorityStart = SimulatedTime(seconds: 1_420_070_400)
    private static let authorityEnd = SimulatedTime(seconds: 2_524_521_600)

    private static func root(_ name: String, key: ECPrivateKey) throws(SimulatorError) -> CertificateAuthority {
        do throws(OpenSSLError) {
            let template = try authorityTemplate(name, key: key, markers: [])
            let certificate = try CertificateAuthority.selfSign(template, key: key)
            return try CertificateAuthority(key: key, subject: template.subject, certificate: certificate)
        } catch { throw .cryptography(error) }
    }

    private static func intermediate(
        _ name: String, under root: CertificateAuthority, key: ECPrivateKey, markers: [CertificateExtension]
    ) throws(SimulatorError) -> CertificateAuthority {
        do throws(OpenSSLError) {
            let template = try authorityTemplate(name, key: key, markers: markers)
            return try CertificateAuthority(key: key, subject: template.subject, certificate: root.issue(template))
        } catch { throw .cryptography(error) }
    }

    private static func authorityTemplate(
        _ name: String, key: ECPrivateKey, markers: [CertificateExtension]
    ) throws(OpenSSLError) -> CertificateTemplate {
        // keyUsage: keyCertSign and cRLSign (RFC 5280 § 4.2.1.3).
        CertificateTemplate(
            subject: DistinguishedName(commonName: name, organizationalUnit: "For tests and demonstrations only"),
            publicPoint: try key.publicPoint(), curve: key.curve, notBefore: authorityStart, notAfter: authorityEnd,
            extensions: [.basicConstraints(isAuthority: true), .keyUsage(0x06)] + markers)
    }
}
