import AppAttest

/// Key identifiers as people copy them: from events and Apple's frameworks in base64, from URLs in base64url, from
/// databases in hexadecimal.
package enum KeyIdentifierText {
    /// What such a text has to be, for error messages.
    package static let expected = "a key identifier, 32 bytes in base64, base64url or hexadecimal"

    /// Reads an identifier; nil for all other text.
    ///
    /// No text can be read in two ways: 32 bytes are 64 digits of hexadecimal, which as base64 would be 48 bytes.
    package static func parse(_ text: String) -> KeyIdentifier? {
        if let bytes = hexadecimalBytes(text) { return KeyIdentifier(bytes) }
        return (try? Base64.decode(text)).flatMap(KeyIdentifier.init)
    }

    /// The bytes of 64 digits, which may stand behind `\x` as PostgreSQL prints them; nil for all other text.
    private static func hexadecimalBytes(_ text: String) -> [UInt8]? {
        var digits = Array(text.utf8)
        if digits.starts(with: Hexadecimal.mark) { digits.removeFirst(Hexadecimal.mark.count) }
        return digits.count == 64 ? Hexadecimal.decode(digits) : nil
    }
}
