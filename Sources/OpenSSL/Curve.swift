/// The two curves that App Attest uses.
public enum Curve: String, Hashable, Sendable {
    /// NIST P-256: attested keys, receipt signers, signing keys.
    case p256 = "P-256"
    /// NIST P-384: Apple's roots.
    case p384 = "P-384"

    /// Octets of one coordinate, and of `r` or `s`.
    public var fieldSize: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        }
    }
}

/// The hash an ECDSA signature is made over.
public enum SignatureHash: Hashable, Sendable {
    case sha256
    case sha384

    /// OpenSSL's name of it.
    var name: String {
        switch self {
        case .sha256: "SHA256"
        case .sha384: "SHA384"
        }
    }
}
