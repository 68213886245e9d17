import COpenSSL

/// A private key on P-256 or P-384. Its text form says nothing of it.
public struct ECPrivateKey: Sendable, CustomStringConvertible {
    let handle: KeyHandle

    /// The curve it is on.
    public let curve: Curve

    /// A new key from OpenSSL's generator.
    public init(generatingOn curve: Curve) throws(OpenSSLError) {
        guard let key = unsafe aw_ec_generate(curve.rawValue) else { throw OpenSSLError(call: "EVP_EC_gen") }
        self.handle = unsafe KeyHandle(owning: key)
        self.curve = curve
    }

    /// Takes over a key that OpenSSL has read; nil when it is on neither curve.
    init?(_ handle: KeyHandle) {
        guard let curve = handle.curve else { return nil }
        self.handle = handle
        self.curve = curve
    }

    public var description: String { "<redacted \(curve.rawValue) private key>" }

    /// The public point, uncompressed X9.62.
    public func publicPoint() throws(OpenSSLError) -> [UInt8] {
        try handle.publicPoint()
    }

    /// The public half.
    public func publicKey() throws(OpenSSLError) -> ECPublicKey {
        try ECPublicKey(point: publicPoint(), curve: curve)
    }

    /// An ECDSA signature over `message`'s hash, DER: SEQUENCE of r and s.
    public func sign(_ message: [UInt8], hash: SignatureHash) throws(OpenSSLError) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else { throw OpenSSLError(call: "EVP_MD_CTX_new") }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestSignInit_ex(context, nil, hash.name, nil, nil, handle.pointer, nil) == 1 else {
            throw OpenSSLError(call: "EVP_DigestSignInit_ex")
        }
        var signature = [UInt8](repeating: 0, count: 160)
        var length = signature.count
        let result = unsafe signature.withUnsafeMutableBufferPointer { signature in
            unsafe message.withUnsafeBufferPointer { message in
                unsafe EVP_DigestSign(context, signature.baseAddress, &length, message.baseAddress, message.count)
            }
        }
        guard result == 1 else { throw OpenSSLError(call: "EVP_DigestSign") }
        return Array(signature.prefix(length))
    }

    /// An ECDSA signature as JWS wants it (RFC 7518 § 3.4): r ‖ s, each padded to the curve's field size.
    public func signFixedWidth(_ message: [UInt8], hash: SignatureHash) throws(OpenSSLError) -> [UInt8] {
        let der = try sign(message, hash: hash)
        return try fixedWidthSignature(der: der, fieldSize: curve.fieldSize)
    }
}

/// Rewrites a DER signature as r ‖ s, each `fieldSize` octets with leading zeros (about one in 128 needs them).
///
/// - Throws: `OpenSSLError` when `der` is not a signature or a number is too large.
public func fixedWidthSignature(der: [UInt8], fieldSize: Int) throws(OpenSSLError) -> [UInt8] {
    let parsed = unsafe der.withUnsafeBufferPointer { bytes in
        var start = bytes.baseAddress
        return unsafe d2i_ECDSA_SIG(nil, &start, bytes.count)
    }
    guard let signature = unsafe parsed else { throw OpenSSLError(call: "d2i_ECDSA_SIG") }
    defer { unsafe ECDSA_SIG_free(signature) }
    var fixed = [UInt8](repeating: 0, count: 2 * fieldSize)
    let written = unsafe fixed.withUnsafeMutableBufferPointer { out -> Bool in
        let width = Int32(fieldSize)
        let r = unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), out.baseAddress, width)
        let s = unsafe BN_bn2binpad(ECDSA_SIG_get0_s(signature), out.baseAddress.map { unsafe $0 + fieldSize }, width)
        return r == width && s == width
    }
    guard written else { throw OpenSSLError(call: "BN_bn2binpad") }
    return fixed
}
