import OpenSSL

/// A distinguished name: attribute types and texts, in the order they are written.
package struct DistinguishedName: Hashable, Sendable {
    /// The name's DER.
    package let der: [UInt8]

    /// `CN=…, OU=…, O=attestwatch simulator, C=US`, most specific first as Apple writes its names.
    package init(commonName: String, organizationalUnit: String? = nil) {
        var parts = [Self.attribute(ObjectIdentifier.commonName, DER.utf8String(commonName))]
        if let organizationalUnit {
            parts.append(Self.attribute(ObjectIdentifier.organizationalUnitName, DER.utf8String(organizationalUnit)))
        }
        parts.append(Self.attribute(ObjectIdentifier.organizationName, DER.utf8String("attestwatch simulator")))
        parts.append(Self.attribute(ObjectIdentifier.countryName, DER.printableString("US")))
        self.der = DER.sequence(parts)
    }

    private static func attribute(_ type: [UInt8], _ value: [UInt8]) -> [UInt8] {
        DER.set([DER.sequence([type, value])])
    }
}

/// An extension of a certificate (RFC 5280 § 4.2).
package struct CertificateExtension: Hashable, Sendable {
    /// The extension's DER.
    let der: [UInt8]

    /// Wraps an encoded value.
    init(_ identifier: [UInt8], critical: Bool = false, value: [UInt8]) {
        self.der = DER.sequence((critical ? [identifier, DER.yes] : [identifier]) + [DER.octetString(value)])
    }

    /// basicConstraints, critical.
    static func basicConstraints(isAuthority: Bool) -> CertificateExtension {
        CertificateExtension(
            ObjectIdentifier.basicConstraints, critical: true, value: DER.sequence(isAuthority ? [DER.yes] : []))
    }

    /// keyUsage, critical: its first octet and how many low bits of it are unused.
    static func keyUsage(_ bits: UInt8) -> CertificateExtension {
        CertificateExtension(
            ObjectIdentifier.keyUsage, critical: true,
            value: DER.bitString([bits], unused: UInt8(bits.trailingZeroBitCount)))
    }

    /// extendedKeyUsage, not critical.
    static func extendedKeyUsage(_ purposes: [KeyPurpose]) -> CertificateExtension {
        CertificateExtension(ObjectIdentifier.extendedKeyUsage, value: DER.sequence(purposes.map(\.identifier)))
    }

    /// A marker: no value, the identifier says it all.
    static func marker(_ identifier: [UInt8]) -> CertificateExtension {
        CertificateExtension(identifier, value: DER.null)
    }
}

/// What a key may be used for beyond its bare usage (RFC 5280 § 4.2.1.12).
package enum KeyPurpose: Sendable {
    case serverAuthentication, codeSigning, emailProtection

    fileprivate var identifier: [UInt8] {
        switch self {
        case .serverAuthentication: ObjectIdentifier.serverAuthentication
        case .codeSigning: ObjectIdentifier.codeSigning
        case .emailProtection: ObjectIdentifier.emailProtection
        }
    }
}

/// What a certificate is to say; its issuer signs it.
struct CertificateTemplate {
    /// Whose it is.
    let subject: DistinguishedName
    /// The subject's public point, uncompressed.
    let publicPoint: [UInt8]
    /// The curve of the point.
    let curve: Curve
    /// Validity, from.
    let notBefore: SimulatedTime
    /// Validity, to.
    let notAfter: SimulatedTime
    /// Without the two key identifiers, which the issuer adds.
    let extensions: [CertificateExtension]

    /// SubjectPublicKeyInfo (RFC 5480 § 2).
    var publicKeyInfo: [UInt8] {
        let group = curve == .p256 ? ObjectIdentifier.prime256v1 : ObjectIdentifier.secp384r1
        return DER.sequence([DER.sequence([ObjectIdentifier.ecPublicKey, group]), DER.bitString(publicPoint)])
    }
}

/// A certificate authority: its key, its name and its own certificate.
package struct CertificateAuthority: Sendable {
    /// Signs what it issues.
    let key: ECPrivateKey
    /// The issuer of what it issues.
    let subject: DistinguishedName
    /// Goes into the authority key identifier of what it issues.
    let keyIdentifier: [UInt8]
    /// Its own certificate, DER.
    package let certificate: [UInt8]

    /// Takes over what was made before.
    init(key: ECPrivateKey, subject: DistinguishedName, certificate: [UInt8]) throws(OpenSSLError) {
        self.key = key
        self.subject = subject
        self.keyIdentifier = try shortKeyIdentifier(key.publicPoint())
        self.certificate = certificate
    }

    /// A certificate over the template, signed with the hash that fits this authority's curve.
    func issue(_ template: CertificateTemplate) throws(OpenSSLError) -> [UInt8] {
        try sign(template, key: key, issuer: subject, issuerKeyIdentifier: keyIdentifier)
    }

    /// A self-signed certificate over the template.
    static func selfSign(_ template: CertificateTemplate, key: ECPrivateKey) throws(OpenSSLError) -> [UInt8] {
        try sign(
            template, key: key, issuer: template.subject, issuerKeyIdentifier: shortKeyIdentifier(template.publicPoint))
    }
}

/// The subject key identifier of a public point: its SHA-256's first 20 octets (RFC 7093 § 2, method 1).
private func shortKeyIdentifier(_ point: [UInt8]) -> [UInt8] {
    Array(SHA256.digest(point).prefix(20))
}

/// A certificate as RFC 5280 § 4.1 has it, version 3.
private func sign(
    _ template: CertificateTemplate, key: ECPrivateKey, issuer: DistinguishedName, issuerKeyIdentifier: [UInt8]
) throws(OpenSSLError) -> [UInt8] {
    let hash: SignatureHash = key.curve == .p256 ? .sha256 : .sha384
    let algorithm = DER.sequence([hash == .sha256 ? ObjectIdentifier.ecdsaWithSHA256 : ObjectIdentifier.ecdsaWithSHA384]
    )
    let keyIdentifiers = [
        CertificateExtension(
            ObjectIdentifier.authorityKeyIdentifier,
            value: DER.sequence([DER.contextPrimitive(0, issuerKeyIdentifier)])),
        CertificateExtension(
            ObjectIdentifier.subjectKeyIdentifier, value: DER.octetString(shortKeyIdentifier(template.publicPoint))),
    ]
    let toBeSigned = DER.sequence([
        DER.context(0, DER.integer(2)), DER.integer(serialNumber(for: template.publicPoint)), algorithm, issuer.der,
        DER.sequence([template.notBefore.der, template.notAfter.der]), template.subject.der, template.publicKeyInfo,
        DER.context(3, DER.sequence((keyIdentifiers + template.extensions).map(\.der))),
    ])
    let signature = try key.sign(toBeSigned, hash: hash)
    return DER.sequence([toBeSigned, algorithm, DER.bitString(signature)])
}

/// A serial number of 16 octets that follows from the public point, so that it need not be kept anywhere.
func serialNumber(for point: [UInt8]) -> [UInt8] {
    var serial = Array(SHA256.digest(point + Array("serial".utf8)).prefix(16))
    serial[0] = serial[0] & 0x7f | 0x40
    return serial
}
