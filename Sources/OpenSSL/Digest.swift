import COpenSSL

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// The 32-byte digest of `bytes`.
    public static func digest(_ bytes: [UInt8]) -> [UInt8] {
        digest(bytes.span)
    }

    /// The 32-byte digest of `bytes`.
    public static func digest(_ bytes: Span<UInt8>) -> [UInt8] {
        unsafe bytes.withUnsafeBufferPointer { input in
            unsafe [UInt8](unsafeUninitializedCapacity: 32) { output, count in
                // An empty span has no address; the one-shot call wants one all the same.
                var nothing: UInt8 = 0
                let result = unsafe withUnsafePointer(to: &nothing) { empty in
                    unsafe oneShotSHA256(input.baseAddress ?? empty, input.count, output.baseAddress)
                }
                precondition(unsafe result != nil, "SHA-256 writes into memory that was given to it")
                count = 32
            }
        }
    }
}

/// The C function `SHA256`, which shares its name with the type above.
private func oneShotSHA256(
    _ input: UnsafePointer<UInt8>, _ count: Int, _ output: UnsafeMutablePointer<UInt8>?
) -> UnsafeMutablePointer<UInt8>? {
    unsafe COpenSSL.SHA256(input, count, output)
}
