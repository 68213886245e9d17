import COpenSSL

/// Owns one EVP_PKEY; freed exactly once, with the last reference.
///
/// A class because keys are shared; OpenSSL counts references and locks inside, and the key is never changed.
@safe
// because an EVP_PKEY that nobody writes to may be read from many threads (EVP_PKEY man page, "thread safety")
final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over `pointer`, which the caller must not free.
    init(owning pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit { unsafe EVP_PKEY_free(pointer) }

    /// Which of the two curves the key is on; nil for any other key.
    var curve: Curve? {
        guard unsafe EVP_PKEY_get_base_id(pointer) == EVP_PKEY_EC else { return nil }
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        let result = unsafe name.withUnsafeMutableBufferPointer {
            unsafe EVP_PKEY_get_group_name(pointer, $0.baseAddress, $0.count, &length)
        }
        guard result == 1 else {
            drainErrorQueue()
            return nil
        }
        switch String(decoding: name.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self) {
        case "prime256v1", "P-256": return .p256
        case "secp384r1", "P-384": return .p384
        default: return nil
        }
    }

    /// The public point, uncompressed whatever form the key was read in.
    func publicPoint() throws(OpenSSLError) -> [UInt8] {
        var encoded: UnsafeMutablePointer<UInt8>?
        let length = unsafe EVP_PKEY_get1_encoded_public_key(pointer, &encoded)
        guard length > 0, let encoded = unsafe encoded else {
            throw OpenSSLError(call: "EVP_PKEY_get1_encoded_public_key")
        }
        defer { unsafe aw_free(encoded) }
        return unsafe Array(UnsafeBufferPointer(start: encoded, count: length))
    }
}
