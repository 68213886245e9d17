import COpenSSL

/// A public key on P-256 or P-384.
public struct ECPublicKey: Sendable {
    let handle: KeyHandle

    /// The curve it is on.
    public let curve: Curve

    /// Takes a key that OpenSSL has read; nil when it is on neither curve.
    init?(_ handle: KeyHandle) {
        guard let curve = handle.curve else { return nil }
        self.handle = handle
        self.curve = curve
    }

    /// Reads an uncompressed X9.62 point: `04 ‖ x ‖ y`.
    ///
    /// - Throws: `OpenSSLError` when the point is not on the curve or not of its size.
    public init(point: [UInt8], curve: Curve) throws(OpenSSLError) {
        // The empty key carries the group; its point is set behind it.
        guard let key = unsafe EVP_PKEY_new() else { throw OpenSSLError(call: "EVP_PKEY_new") }
        let handle = unsafe KeyHandle(owning: key)
        guard unsafe aw_set_ec_group(key, curve == .p256 ? NID_X9_62_prime256v1 : NID_secp384r1) == 1 else {
            throw OpenSSLError(call: "EVP_PKEY_copy_parameters")
        }
        let result = unsafe point.withUnsafeBufferPointer {
            unsafe EVP_PKEY_set1_encoded_public_key(key, $0.baseAddress, $0.count)
        }
        guard result == 1 else { throw OpenSSLError(call: "EVP_PKEY_set1_encoded_public_key") }
        self.handle = handle
        self.curve = curve
    }

    /// The uncompressed X9.62 point.
    public func point() throws(OpenSSLError) -> [UInt8] {
        try handle.publicPoint()
    }

    /// Whether `signature` (DER: SEQUENCE of r and s) was made over `message`'s hash by this key's owner.
    public func verifies(signature: [UInt8], over message: [UInt8], hash: SignatureHash) -> Bool {
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        let begun = unsafe EVP_DigestVerifyInit_ex(context, nil, hash.name, nil, nil, handle.pointer, nil)
        guard begun == 1 else {
            drainErrorQueue()
            return false
        }
        let result = unsafe signature.withUnsafeBufferPointer { signature in
            unsafe message.withUnsafeBufferPointer { message in
                unsafe EVP_DigestVerify(
                    context, signature.baseAddress, signature.count, message.baseAddress, message.count)
            }
        }
        drainErrorQueue()
        return result == 1
    }
}
