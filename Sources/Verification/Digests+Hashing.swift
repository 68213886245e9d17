import AppAttest
import OpenSSL

extension SHA256Digest {
    /// The SHA-256 of `bytes`.
    public init(hashing bytes: [UInt8]) {
        guard let digest = SHA256Digest(SHA256.digest(bytes)) else { preconditionFailure("SHA-256 has 32 octets") }
        self = digest
    }
}

extension KeyIdentifier {
    /// The identifier of the key with this public point.
    public init(of point: PublicPoint) {
        self.init(SHA256Digest(hashing: point.bytes))
    }
}
