import COpenSSL

extension ECPrivateKey {
    /// Reads an unencrypted PrivateKeyInfo (RFC 5208 § 5) in DER, with nothing behind it.
    ///
    /// - Throws: `OpenSSLError` when it is not one, or the key is on neither curve.
    public init(pkcs8 der: [UInt8]) throws(OpenSSLError) {
        let (info, rest) = unsafe der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            let info = unsafe d2i_PKCS8_PRIV_KEY_INFO(nil, &start, bytes.count)
            let read = unsafe start.map { unsafe bytes.baseAddress?.distance(to: $0) ?? 0 } ?? 0
            return unsafe (info, bytes.count - read)
        }
        guard let info = unsafe info else { throw OpenSSLError(call: "d2i_PKCS8_PRIV_KEY_INFO") }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        guard rest == 0 else { throw OpenSSLError(call: "d2i_PKCS8_PRIV_KEY_INFO") }
        guard let key = unsafe EVP_PKCS82PKEY(info) else { throw OpenSSLError(call: "EVP_PKCS82PKEY") }
        guard let read = ECPrivateKey(unsafe KeyHandle(owning: key)) else { throw OpenSSLError(call: "EVP_PKCS82PKEY") }
        self = read
    }

    /// The key as an unencrypted PrivateKeyInfo (RFC 5208 § 5) in DER: secret, for a file of mode 0600.
    public func pkcs8() throws(OpenSSLError) -> [UInt8] {
        guard let info = unsafe EVP_PKEY2PKCS8(handle.pointer) else { throw OpenSSLError(call: "EVP_PKEY2PKCS8") }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        let size = unsafe i2d_PKCS8_PRIV_KEY_INFO(info, nil)
        guard size > 0 else { throw OpenSSLError(call: "i2d_PKCS8_PRIV_KEY_INFO") }
        var der = [UInt8](repeating: 0, count: Int(size))
        let written = unsafe der.withUnsafeMutableBufferPointer { bytes in
            var start = bytes.baseAddress
            return unsafe i2d_PKCS8_PRIV_KEY_INFO(info, &start)
        }
        guard written == size else { throw OpenSSLError(call: "i2d_PKCS8_PRIV_KEY_INFO") }
        return der
    }
}
