import OpenSSL

/// A key that signs authorization JWTs, with the identifier under which Apple knows it.
package struct SigningKey: Sendable, CustomStringConvertible {
    /// Apple's key ID, ten characters: the JWT's `kid`.
    package let id: String
    /// The private key, on P-256.
    package let key: ECPrivateKey

    /// Reads a `.p8` file's content.
    package init(id: String, file: [UInt8]) throws(SigningKeyError) {
        self.id = id
        self.key = try SigningKeyFile.read(file)
    }

    package var description: String { "signing key \(id)" }
}
