import COpenSSL

/// The facts that make a trust anchor (RFC 5280 § 6.1.1 d): a name, a key, and for how long both are believed.
public struct AnchorFacts: Hashable, Sendable {
    /// The subject's parts in the order of the encoding: short type name (`CN`, `O`, `OU`, `C`, `ST`) and text.
    public let subject: [NamePart]
    /// The curve of the key.
    public let curve: Curve
    /// The key's uncompressed X9.62 point.
    public let publicPoint: [UInt8]
    /// The first second of its validity, since the Unix epoch.
    public let notBefore: Int64
    /// The end of its validity, since the Unix epoch.
    public let notAfter: Int64

    /// One attribute of a name.
    public struct NamePart: Hashable, Sendable {
        public let type: String
        public let text: String

        public init(_ type: String, _ text: String) {
            self.type = type
            self.text = text
        }
    }

    /// Puts the facts together.
    public init(subject: [NamePart], curve: Curve, publicPoint: [UInt8], notBefore: Int64, notAfter: Int64) {
        self.subject = subject
        self.curve = curve
        self.publicPoint = publicPoint
        self.notBefore = notBefore
        self.notAfter = notAfter
    }
}

extension Certificate {
    /// A certificate that carries the facts, for OpenSSL takes anchors in no other form.
    ///
    /// It is signed with a key that is thrown away: chain building never checks an anchor's own signature, but refuses
    /// an anchor without one.
    public init(anchor facts: AnchorFacts) throws(OpenSSLError) {
        let key = try ECPublicKey(point: facts.publicPoint, curve: facts.curve)
        guard let certificate = unsafe X509_new() else { throw OpenSSLError(call: "X509_new") }
        let handle = unsafe CertificateHandle(owning: certificate)
        let name = try unsafe makeName(facts.subject)
        defer { unsafe X509_NAME_free(name) }
        let filled =
            unsafe X509_set_version(certificate, 2) == 1
            && ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1) == 1
            && X509_set_subject_name(certificate, name) == 1
            && X509_set_issuer_name(certificate, name) == 1
            && ASN1_TIME_set(X509_getm_notBefore(certificate), time_t(facts.notBefore)) != nil
            && ASN1_TIME_set(X509_getm_notAfter(certificate), time_t(facts.notAfter)) != nil
            && X509_set_pubkey(certificate, key.handle.pointer) == 1
        guard filled else { throw OpenSSLError(call: "X509_set") }
        try unsafe addExtension(NID_basic_constraints, "critical,CA:TRUE", to: certificate)
        try unsafe addExtension(NID_key_usage, "critical,keyCertSign,cRLSign", to: certificate)
        let throwAway = try ECPrivateKey(generatingOn: .p256)
        guard unsafe X509_sign(certificate, throwAway.handle.pointer, EVP_sha256()) > 0 else {
            throw OpenSSLError(call: "X509_sign")
        }
        self.init(handle)
    }
}

/// A name that the caller frees.
private func makeName(_ parts: [AnchorFacts.NamePart]) throws(OpenSSLError) -> OpaquePointer {
    guard let name = unsafe X509_NAME_new() else { throw OpenSSLError(call: "X509_NAME_new") }
    for part in parts {
        let text = Array(part.text.utf8)
        let added = unsafe X509_NAME_add_entry_by_txt(
            name, part.type, MBSTRING_UTF8, text, Int32(text.count), -1, 0)
        guard added == 1 else {
            unsafe X509_NAME_free(name)
            throw OpenSSLError(call: "X509_NAME_add_entry_by_txt")
        }
    }
    return unsafe name
}

private func addExtension(_ type: Int32, _ value: String, to certificate: OpaquePointer) throws(OpenSSLError) {
    guard let made = unsafe X509V3_EXT_conf_nid(nil, nil, type, value) else {
        throw OpenSSLError(call: "X509V3_EXT_conf_nid")
    }
    defer { unsafe X509_EXTENSION_free(made) }
    guard unsafe X509_add_ext(certificate, made, -1) == 1 else { throw OpenSSLError(call: "X509_add_ext") }
}
