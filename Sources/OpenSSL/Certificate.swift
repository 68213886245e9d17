import COpenSSL

/// An X.509 certificate (RFC 5280). Reading one trusts nothing: see `CertificateChain`.
public struct Certificate: Sendable {
    let handle: CertificateHandle

    /// Reads one certificate that fills `der` exactly.
    ///
    /// - Throws: `OpenSSLError` when `der` is not a certificate or goes on behind it.
    public init(der: [UInt8]) throws(OpenSSLError) {
        var consumed = 0
        let parsed = unsafe der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var start = bytes.baseAddress
            let certificate = unsafe d2i_X509(nil, &start, bytes.count)
            if let begin = bytes.baseAddress, let end = unsafe start { consumed = unsafe end - begin }
            return unsafe certificate
        }
        guard let certificate = unsafe parsed else { throw OpenSSLError(call: "d2i_X509") }
        self.init(unsafe CertificateHandle(owning: certificate))
        guard consumed == der.count else { throw OpenSSLError(call: "d2i_X509 (octets behind the certificate)") }
    }

    /// Takes over a certificate that OpenSSL has read or made.
    init(_ handle: CertificateHandle) {
        self.handle = handle
    }

    /// The names, number and dates inside; nil when one of them is none, which OpenSSL notices only in use.
    public var facts: CertificateFacts? { try? CertificateFacts(handle) }

    /// The serial number, big-endian without leading zero octets.
    public var serial: [UInt8] { serialOctets(handle) }

    /// The certificate's encoding.
    public var der: [UInt8] {
        let length = Int(unsafe i2d_X509(handle.pointer, nil))
        guard length > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: length)
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            var end = buffer.baseAddress
            _ = unsafe i2d_X509(handle.pointer, &end)
        }
        return bytes
    }

    /// The subject's key; nil when it is on neither P-256 nor P-384.
    public var publicKey: ECPublicKey? {
        guard let key = unsafe X509_get_pubkey(handle.pointer) else {
            drainErrorQueue()
            return nil
        }
        return ECPublicKey(unsafe KeyHandle(owning: key))
    }

    /// Whether there is an extension with this object identifier, written with dots.
    public func hasExtension(_ objectIdentifier: String) -> Bool {
        guard let object = unsafe OBJ_txt2obj(objectIdentifier, 1) else {
            drainErrorQueue()
            return false
        }
        defer { unsafe ASN1_OBJECT_free(object) }
        return unsafe X509_get_ext_by_OBJ(handle.pointer, object, -1) >= 0
    }

    /// Whether the subject's name is that of `other`, compared as chain building compares names.
    public func hasSubject(of other: Certificate) -> Bool {
        unsafe X509_subject_name_cmp(handle.pointer, other.handle.pointer) == 0
    }
}
