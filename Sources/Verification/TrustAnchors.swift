import OpenSSL

/// The roots that signers must chain to. Nothing found inside a receipt ever becomes one.
public struct TrustAnchors: Sendable {
    /// The anchors' subjects on one line each, `C=US,O=Apple Inc.,…`.
    public let names: [String]
    /// Whether these stand in the place of Apple's; then every summary names them.
    public let areReplaced: Bool
    package let certificates: [Certificate]

    private init(_ certificates: [Certificate], areReplaced: Bool) {
        self.names = certificates.map { $0.facts?.subject ?? "a certificate that cannot be read" }
        self.areReplaced = areReplaced
        self.certificates = certificates
    }

    /// Apple Root CA - G3, built from facts in this module.
    public static func appleReceipts() throws(TrustAnchorError) -> TrustAnchors {
        try built(from: AppleRoots.receipts)
    }

    /// Apple App Attestation Root CA, built from facts in this module. Receipts do not chain to it.
    public static func appleAttestations() throws(TrustAnchorError) -> TrustAnchors {
        try built(from: AppleRoots.attestations)
    }

    /// Every certificate of a PEM file's content, in the place of Apple's root.
    public init(pem: [UInt8]) throws(TrustAnchorError) {
        do { self.init(try Certificate.reading(pem: pem), areReplaced: true) } catch {
            throw .unreadable(reason: error.description)
        }
    }

    /// The anchors of both, for a configuration that names several files.
    public func adding(_ others: TrustAnchors) -> TrustAnchors {
        TrustAnchors(certificates + others.certificates, areReplaced: areReplaced || others.areReplaced)
    }

    private static func built(from facts: AnchorFacts) throws(TrustAnchorError) -> TrustAnchors {
        do { return TrustAnchors([try Certificate(anchor: facts)], areReplaced: false) } catch {
            throw .unreadable(reason: error.description)
        }
    }
}

/// Why there are no trust anchors.
public enum TrustAnchorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// OpenSSL finds no certificate, or one that it cannot read.
    case unreadable(reason: String)

    public var description: String {
        switch self {
        case .unreadable(let reason): "expected certificates in PEM form, found none that can be read (\(reason))"
        }
    }
}
