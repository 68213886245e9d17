extension Hasher {
    /// Combines what a hash function made: eight of its bytes tell values apart as well as all of them do.
    fileprivate mutating func combine(digest bytes: [UInt8]) {
        combine(bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}

/// 32 bytes that SHA-256 made. This module only carries them.
public struct SHA256Digest: Hashable, Sendable {
    /// The 32 bytes.
    public let bytes: [UInt8]

    public func hash(into hasher: inout Hasher) {
        hasher.combine(digest: bytes)
    }

    /// Nil when `bytes` are not 32.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }
}

/// A key identifier: the SHA-256 of the attested key's public point. Written as base64 for people and in JSON.
public struct KeyIdentifier: Hashable, Sendable {
    /// The 32 bytes.
    public let bytes: [UInt8]

    public func hash(into hasher: inout Hasher) {
        hasher.combine(digest: bytes)
    }

    /// Nil when `bytes` are not 32.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// The identifier of a key whose public point has this digest.
    public init(_ digest: SHA256Digest) {
        self.bytes = digest.bytes
    }
}

/// The public point of an attested key: 65 bytes, `04 ‖ x ‖ y` (X9.62, uncompressed, P-256).
public struct PublicPoint: Hashable, Sendable {
    /// The 65 bytes.
    public let bytes: [UInt8]

    /// Nil when `bytes` are not 65 or do not begin with `04`.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 65, bytes[0] == 4 else { return nil }
        self.bytes = bytes
    }
}
