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
        if digits.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "x")]) { digits.removeFirst(2) }
        guard digits.count == 64 else { return nil }
        var bytes: [UInt8] = []
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(of: digits[place]), let low = value(of: digits[place + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
