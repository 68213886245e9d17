import COpenSSL

/// What a certificate says about itself in plain values.
public struct CertificateFacts: Hashable, Sendable {
    /// The subject on one line as RFC 2253 § 2 writes it, the encoding's last part first: `C=US,O=Apple Inc.,CN=…`.
    public let subject: String
    /// The issuer, written like the subject.
    public let issuer: String
    /// The serial number, big-endian without leading zero octets.
    public let serial: [UInt8]
    /// The first second of its validity, since the Unix epoch.
    public let notBefore: Int64
    /// The end of its validity, since the Unix epoch; OpenSSL counts this second as expired.
    public let notAfter: Int64

    /// Puts facts together that were read elsewhere.
    public init(subject: String, issuer: String, serial: [UInt8], notBefore: Int64, notAfter: Int64) {
        self.subject = subject
        self.issuer = issuer
        self.serial = serial
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    /// Whether OpenSSL takes the certificate for valid at `second`.
    public func isValid(at second: Int64) -> Bool {
        notBefore <= second && second < notAfter
    }

    /// Reads them out of an X509.
    init(_ certificate: CertificateHandle) throws(OpenSSLError) {
        let pointer = unsafe certificate.pointer
        self.subject = try unsafe oneLine(X509_get_subject_name(pointer))
        self.issuer = try unsafe oneLine(X509_get_issuer_name(pointer))
        self.serial = serialOctets(certificate)
        self.notBefore = try unsafe unixTime(X509_get0_notBefore(pointer))
        self.notAfter = try unsafe unixTime(X509_get0_notAfter(pointer))
    }
}

private func oneLine(_ name: OpaquePointer?) throws(OpenSSLError) -> String {
    guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw OpenSSLError(call: "BIO_new") }
    defer { unsafe BIO_free(bio) }
    guard let name = unsafe name, unsafe aw_print_name(bio, name) >= 0 else {
        throw OpenSSLError(call: "X509_NAME_print_ex")
    }
    return String(decoding: unsafe memoryBIOContent(bio), as: UTF8.self)
}

/// The magnitude of a certificate's serial number, big-endian without leading zero octets.
func serialOctets(_ certificate: CertificateHandle) -> [UInt8] {
    guard let number = unsafe X509_get0_serialNumber(certificate.pointer),
        let data = unsafe ASN1_STRING_get0_data(number)
    else { return [] }
    let bytes = unsafe UnsafeBufferPointer(start: data, count: Int(ASN1_STRING_length(number)))
    return unsafe Array(bytes.drop { $0 == 0 })
}

private func unixTime(_ time: UnsafePointer<ASN1_TIME>?) throws(OpenSSLError) -> Int64 {
    guard let epoch = unsafe ASN1_TIME_set(nil, 0) else { throw OpenSSLError(call: "ASN1_TIME_set") }
    defer { unsafe ASN1_TIME_free(epoch) }
    var days: Int32 = 0
    var seconds: Int32 = 0
    guard let time = unsafe time, unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else {
        throw OpenSSLError(call: "ASN1_TIME_diff")
    }
    return Int64(days) * 86_400 + Int64(seconds)
}
