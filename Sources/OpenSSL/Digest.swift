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
                let result = unsafe EVP_Digest(
                    input.baseAddress, input.count, output.baseAddress, nil, algorithm.pointer, nil)
                precondition(result == 1, "SHA-256 writes into memory that was given to it")
                count = 32
            }
        }
    }

    /// Fetched once: OpenSSL would otherwise look for it, under a lock, at every digest (EVP_MD_fetch man page).
    private static let algorithm = DigestAlgorithm("SHA256")
}

/// A hash function as OpenSSL's providers have it.
@safe
// because a fetched EVP_MD is never changed, and OpenSSL counts its references itself
private struct DigestAlgorithm: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Fetches it for as long as the process lives.
    init(_ name: String) {
        guard let pointer = unsafe EVP_MD_fetch(nil, name, nil) else {
            preconditionFailure("OpenSSL's default provider has \(name)")
        }
        unsafe self.pointer = pointer
    }
}
