import COpenSSL

/// Bytes from OpenSSL's generator, fit for keys and serial numbers.
///
/// - Throws: `OpenSSLError` when the generator has no entropy.
public func randomBytes(_ count: Int) throws(OpenSSLError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let result = unsafe bytes.withUnsafeMutableBufferPointer { unsafe RAND_bytes($0.baseAddress, Int32($0.count)) }
    guard result == 1 else { throw OpenSSLError(call: "RAND_bytes") }
    return bytes
}
