import AppAttest

/// What a stored receipt must agree with.
public struct ExpectedReceipt: Hashable, Sendable {
    /// Field 2 must be this.
    public let appID: AppID
    /// The key of field 3 must have this identifier.
    public let keyID: KeyIdentifier
    /// Field 7 must be one of these: the environment the row names, or those that the app accepts.
    public let environments: Set<Environment>

    /// Puts an expectation together.
    public init(appID: AppID, keyID: KeyIdentifier, environments: Set<Environment>) {
        self.appID = appID
        self.keyID = keyID
        self.environments = environments
    }
}

/// What an answer must agree with: the receipt that was sent.
public struct ReplacedReceipt: Hashable, Sendable {
    /// Field 2 of it.
    public let appID: AppID
    /// The identifier of its key.
    public let keyID: KeyIdentifier
    /// Field 7 of it.
    public let environment: Environment
    /// Field 12 of it; the answer's must be later.
    public let creationTime: Instant
    /// SHA-256 of its field 3; an answer with the same octets there speaks of the same key.
    public let attestedCertificateDigest: SHA256Digest

    /// Puts the facts together, as the store keeps them.
    public init(
        appID: AppID, keyID: KeyIdentifier, environment: Environment, creationTime: Instant,
        attestedCertificateDigest: SHA256Digest
    ) {
        self.appID = appID
        self.keyID = keyID
        self.environment = environment
        self.creationTime = creationTime
        self.attestedCertificateDigest = attestedCertificateDigest
    }
}
