/// Base64 (RFC 4648): reads the flavours in which back ends store receipts, writes the two that the wire asks for.
public enum Base64 {
    /// Reads standard or URL-safe base64, padded or not, in one line or many. Spaces, tabs and line ends are passed
    /// over wherever they stand.
    ///
    /// - Throws: `Base64Error` for everything else; nothing is dropped or guessed.
    public static func decode(_ text: [UInt8]) throws(Base64Error) -> [UInt8] {
        try [UInt8](capacity: text.count / 4 * 3 + 3) { (output: inout OutputSpan<UInt8>) throws(Base64Error) in
            var decoder = Base64Decoder()
            try decoder.decode(text.span, into: &output)
        }
    }

    /// The same of a string.
    public static func decode(_ text: String) throws(Base64Error) -> [UInt8] {
        try decode(Array(text.utf8))
    }

    /// Standard base64, padded, in one line: what the data server wants.
    public static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: encodedOctets(bytes), as: UTF8.self)
    }

    /// Standard base64, padded, in one line, as ASCII octets.
    public static func encodedOctets(_ bytes: [UInt8]) -> [UInt8] {
        octets(bytes, alphabet: Base64Alphabet.standard, padded: true)
    }

    /// URL-safe base64 without padding (RFC 7515 § 2): what a JWT is made of.
    public static func encodeURLSafe(_ bytes: [UInt8]) -> String {
        String(decoding: octets(bytes, alphabet: Base64Alphabet.urlSafe, padded: false), as: UTF8.self)
    }

    private static func octets(_ bytes: [UInt8], alphabet: InlineArray<64, UInt8>, padded: Bool) -> [UInt8] {
        [UInt8](capacity: (bytes.count + 2) / 3 * 4) { output in
            let input = bytes.span
            var offset = 0
            while offset + 3 <= input.count {
                let group = UInt32(input[offset]) << 16 | UInt32(input[offset + 1]) << 8 | UInt32(input[offset + 2])
                output.append(alphabet[Int(group >> 18)])
                output.append(alphabet[Int(group >> 12 & 63)])
                output.append(alphabet[Int(group >> 6 & 63)])
                output.append(alphabet[Int(group & 63)])
                offset += 3
            }
            guard offset < input.count else { return }
            let isPair = offset + 2 == input.count
            let group = UInt32(input[offset]) << 16 | (isPair ? UInt32(input[offset + 1]) << 8 : 0)
            output.append(alphabet[Int(group >> 18)])
            output.append(alphabet[Int(group >> 12 & 63)])
            if isPair { output.append(alphabet[Int(group >> 6 & 63)]) }
            guard padded else { return }
            if !isPair { output.append(UInt8(ascii: "=")) }
            output.append(UInt8(ascii: "="))
        }
    }
}
