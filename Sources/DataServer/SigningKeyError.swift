/// Why a file holds no key that can sign authorization JWTs: which key was expected is the same in all cases, what was
/// found is the case. Nothing of the file's content is repeated.
package enum SigningKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing but white space.
    case empty
    /// No `-----BEGIN …-----` line.
    case notPEM
    /// The file ends inside the key, or its base64 does.
    case truncated
    /// Whole, but not a key: what OpenSSL says.
    case damaged(reason: String)
    /// Protected by a passphrase.
    case encrypted
    /// The public half alone.
    case publicKey
    /// A certificate.
    case certificate
    /// A key of another algorithm or curve, such as `RSA` or `P-384`.
    case otherKey(String)
    /// A PEM block that is none of the above; its label.
    case otherBlock(String)

    package var description: String {
        "expected an unencrypted P-256 private key in PEM (the .p8 file Apple gives out), found \(found)"
    }

    private var found: String {
        switch self {
        case .empty: "an empty file"
        case .notPEM: "no \"-----BEGIN PRIVATE KEY-----\" line"
        case .truncated: "a key that is cut short"
        case .damaged(let reason): "a key that cannot be read: \(reason)"
        case .encrypted: "a key protected by a passphrase"
        case .publicKey: "a public key"
        case .certificate: "a certificate"
        case .otherKey(let name): "a key of another kind: \(name)"
        case .otherBlock(let label): "a PEM block \"\(label)\""
        }
    }
}
