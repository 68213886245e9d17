import COpenSSL

/// How a CMS signer names its certificate (RFC 5652 § 10.2.4).
@safe
public struct IssuerAndSerialNumber: ~Copyable {
    private let issuer: OpaquePointer
    private let serial: UnsafeMutablePointer<ASN1_INTEGER>

    /// Reads the issuer's Name, a whole element, and takes the content octets of the serial number.
    ///
    /// - Returns: nil when OpenSSL cannot read one of them.
    public init?(issuer name: [UInt8], serialNumber content: [UInt8]) {
        guard (1..<128).contains(content.count) else { return nil }
        let encoded = [UInt8(V_ASN1_INTEGER), UInt8(content.count)] + content
        let issuer = unsafe name.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var start = bytes.baseAddress
            return unsafe d2i_X509_NAME(nil, &start, bytes.count)
        }
        let serial = unsafe encoded.withUnsafeBufferPointer { bytes -> UnsafeMutablePointer<ASN1_INTEGER>? in
            var start = bytes.baseAddress
            return unsafe d2i_ASN1_INTEGER(nil, &start, bytes.count)
        }
        guard let issuer = unsafe issuer, let serial = unsafe serial else {
            unsafe X509_NAME_free(issuer)
            unsafe ASN1_INTEGER_free(serial)
            drainErrorQueue()
            return nil
        }
        unsafe self.issuer = issuer
        unsafe self.serial = serial
    }

    deinit {
        unsafe X509_NAME_free(issuer)
        unsafe ASN1_INTEGER_free(serial)
    }

    /// Whether it names `certificate`, compared as `CMS_verify` compares.
    public func names(_ certificate: Certificate) -> Bool {
        unsafe X509_NAME_cmp(issuer, X509_get_issuer_name(certificate.handle.pointer)) == 0
            && ASN1_INTEGER_cmp(serial, X509_get0_serialNumber(certificate.handle.pointer)) == 0
    }
}
