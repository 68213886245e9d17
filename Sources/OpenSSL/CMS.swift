import COpenSSL

/// Signed CMS messages (RFC 5652), judged by OpenSSL alone.
public enum CMS {
    /// What a message says and who signed it.
    public struct Verified: Sendable {
        /// The encapsulated content's octets, chunks joined.
        public let content: [UInt8]
        /// The certificates of all signers, each of whose signature and chain is valid.
        public let signers: [Certificate]
    }

    /// Why a message is not believed.
    public enum Failure: Error, Hashable, Sendable {
        /// Not a CMS message that OpenSSL can read.
        case malformed(OpenSSLError)
        /// A signer's certificate does not chain to an anchor; OpenSSL's words for why.
        case chain(String)
        /// The message does not hold the certificate that a signer names, or has no signer.
        case signerMissing
        /// A signature or message digest is wrong, or the content is not attached.
        case signature(OpenSSLError)
    }

    /// `CMS_verify` with `anchors` alone trusted, at `second` (since the Unix epoch), for its default purpose.
    ///
    /// Octets behind the message are ignored, as `openssl cms` does; detached content is a failure of the signature.
    public static func verify(
        _ message: [UInt8], anchors: [Certificate], at second: Int64
    ) throws(Failure) -> Verified {
        let parsed = unsafe message.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var start = bytes.baseAddress
            return unsafe d2i_CMS_ContentInfo(nil, &start, bytes.count)
        }
        guard let cms = unsafe parsed else { throw .malformed(OpenSSLError(call: "d2i_CMS_ContentInfo")) }
        defer { unsafe CMS_ContentInfo_free(cms) }
        let store: StoreHandle
        do { store = try StoreHandle.trusting(anchors, at: second) } catch { throw .chain(error.text) }
        guard let output = unsafe BIO_new(BIO_s_mem()) else { throw .malformed(OpenSSLError(call: "BIO_new")) }
        defer { unsafe BIO_free(output) }
        guard unsafe CMS_verify(cms, nil, store.pointer, nil, output, UInt32(CMS_BINARY)) == 1 else {
            throw failureFromErrorQueue()
        }
        let signers = try unsafe signers(of: cms)
        drainErrorQueue()
        return Verified(content: unsafe memoryBIOContent(output), signers: signers)
    }
}

private func signers(of cms: OpaquePointer) throws(CMS.Failure) -> [Certificate] {
    guard let stack = unsafe CMS_get0_signers(cms) else { throw .signature(OpenSSLError(call: "CMS_get0_signers")) }
    defer { unsafe aw_certificates_free(stack) }
    var signers: [Certificate] = []
    for index in 0..<(unsafe aw_certificates_count(stack)) {
        guard let pointer = unsafe aw_certificates_at(stack, index),
            let handle = unsafe CertificateHandle(sharing: pointer)
        else { throw .signature(OpenSSLError(call: "X509_up_ref")) }
        signers.append(Certificate(handle))
    }
    return signers
}

/// Tells a refused chain from everything else that `CMS_verify` refuses; empties the queue.
private func failureFromErrorQueue() -> CMS.Failure {
    var reasons: [String] = []
    var chain: String?
    var signerMissing = false
    while true {
        var data: UnsafePointer<CChar>?
        var flags: Int32 = 0
        let code = unsafe ERR_get_error_all(nil, nil, nil, &data, &flags)
        if code == 0 { break }
        if aw_cms_reason(code) == CMS_R_CERTIFICATE_VERIFY_ERROR {
            // OpenSSL hangs `Verify error: <words>` onto this one.
            let words = unsafe data.map { unsafe String(cString: $0) } ?? ""
            chain = words.hasPrefix("Verify error: ") ? String(words.dropFirst(14)) : words
        }
        signerMissing = signerMissing || aw_cms_reason(code) == CMS_R_SIGNER_CERTIFICATE_NOT_FOUND
        reasons.append(unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) } ?? "error \(code)")
    }
    if let chain { return .chain(chain) }
    if signerMissing { return .signerMissing }
    return .signature(OpenSSLError(call: "CMS_verify", reasons: reasons))
}
