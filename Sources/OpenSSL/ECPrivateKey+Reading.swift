import COpenSSL

/// A private key of any algorithm that OpenSSL reads.
public enum ReadPrivateKey: Sendable {
    /// On P-256 or P-384, and its public half belongs to it.
    case curve(ECPrivateKey)
    /// Anything else, by OpenSSL's name of the algorithm or curve, such as `RSA` or `secp256k1`.
    case other(String)

    /// Reads an unencrypted private key in DER: PrivateKeyInfo (RFC 5208 § 5), ECPrivateKey (RFC 5915 § 3) or RSA's
    /// own, with nothing behind it.
    ///
    /// - Throws: `OpenSSLError` when it is none, is cut short, or its two halves do not belong together.
    public init(der: [UInt8]) throws(OpenSSLError) {
        let (pointer, rest) = unsafe der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            let key = unsafe d2i_AutoPrivateKey(nil, &start, bytes.count)
            let read = unsafe start.map { unsafe bytes.baseAddress?.distance(to: $0) ?? 0 } ?? 0
            return unsafe (key, bytes.count - read)
        }
        guard let pointer = unsafe pointer else { throw OpenSSLError(call: "d2i_AutoPrivateKey") }
        let handle = unsafe KeyHandle(owning: pointer)
        guard rest == 0 else { throw OpenSSLError(call: "d2i_AutoPrivateKey") }
        guard let key = ECPrivateKey(handle) else {
            self = .other(ReadPrivateKey.name(of: handle))
            return
        }
        guard let context = unsafe EVP_PKEY_CTX_new(handle.pointer, nil) else {
            throw OpenSSLError(call: "EVP_PKEY_CTX_new")
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe EVP_PKEY_pairwise_check(context) == 1 else { throw OpenSSLError(call: "EVP_PKEY_pairwise_check") }
        self = .curve(key)
    }

    private static func name(of handle: KeyHandle) -> String {
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        let found = unsafe name.withUnsafeMutableBufferPointer {
            unsafe EVP_PKEY_get_group_name(handle.pointer, $0.baseAddress, $0.count, &length)
        }
        drainErrorQueue()
        let isCurve = unsafe EVP_PKEY_get_base_id(handle.pointer) == EVP_PKEY_EC
        if found == 1, isCurve {
            return String(decoding: name.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        guard let type = unsafe EVP_PKEY_get0_type_name(handle.pointer) else { return "unknown" }
        return unsafe String(cString: type)
    }
}
