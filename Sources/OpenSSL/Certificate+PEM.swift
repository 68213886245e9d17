import COpenSSL

extension Certificate {
    /// Reads every certificate of a PEM text, in order; other blocks and text between are passed over.
    ///
    /// - Throws: `OpenSSLError` when a certificate cannot be read, or there is none.
    public static func reading(pem: [UInt8]) throws(OpenSSLError) -> [Certificate] {
        typealias Outcome = (handles: [CertificateHandle], error: OpenSSLError?)
        let outcome = try unsafe withMemoryBIO(over: pem) { bio -> Outcome in
            var handles: [CertificateHandle] = []
            while let certificate = unsafe PEM_read_bio_X509(bio, nil, nil, nil) {
                handles.append(unsafe CertificateHandle(owning: certificate))
            }
            // The loop ends with an error in any case; running out of blocks is the good one.
            let ended = aw_is_pem_end(ERR_peek_last_error()) == 1
            let error = OpenSSLError(call: "PEM_read_bio_X509")
            return (handles, ended && !handles.isEmpty ? nil : error)
        }
        if let error = outcome.error { throw error }
        return outcome.handles.map(Certificate.init)
    }
}
