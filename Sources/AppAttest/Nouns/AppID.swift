/// An App ID: a ten-character team identifier (or older prefix), a dot, and a bundle identifier:
/// `TEAMID1234.com.example.app`.
public struct AppID: Hashable, Sendable, CustomStringConvertible {
    /// The App ID as written.
    public let text: String

    /// Takes an App ID apart; nil when `text` has no ten-character prefix of `A-Z0-9`, or nothing behind its dot.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count > 11, bytes.count <= 255, bytes[10] == UInt8(ascii: ".") else { return nil }
        guard TeamID(String(text.prefix(10))) != nil else { return nil }
        guard bytes.allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
        self.text = text
    }

    /// The ten characters before the first dot. For apps moved between teams this may not be the present team.
    public var prefix: String { String(text.prefix(10)) }

    public var description: String { text }
}

/// A developer team's identifier: ten characters of `A-Z0-9`. It is the `iss` of an authorization JWT.
public struct TeamID: Hashable, Sendable, CustomStringConvertible {
    /// The identifier as written.
    public let text: String

    /// Nil when `text` is not ten characters of `A-Z0-9`.
    public init?(_ text: String) {
        guard text.utf8.count == 10 else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) }) else { return nil }
        self.text = text
    }

    public var description: String { text }
}
