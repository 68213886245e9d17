/// The alphabets of RFC 4648 §§ 4 and 5, and one table that reads both.
enum Base64Alphabet {
    /// The 64 characters of the standard alphabet.
    static let standard = alphabet(endingIn: "+", "/")
    /// The 64 characters of the URL-safe alphabet.
    static let urlSafe = alphabet(endingIn: "-", "_")

    /// Set beside the value of a character that only the standard alphabet has.
    static let standardOnly: UInt8 = 0x40
    /// Set beside the value of a character that only the URL-safe alphabet has.
    static let urlSafeOnly: UInt8 = 0x80
    /// Stands for white space.
    static let space: UInt8 = 0xfd
    /// Stands for `=`.
    static let padding: UInt8 = 0xfe
    /// Stands for a character that is neither.
    static let stranger: UInt8 = 0xff

    /// By character: its value from 0 to 63, marked where one alphabet alone has it, or what else it stands for.
    static let values: InlineArray<256, UInt8> = {
        var values = InlineArray<256, UInt8>(repeating: stranger)
        for value in 0..<62 { values[Int(standard[value])] = UInt8(value) }
        for value in 62..<64 {
            values[Int(standard[value])] = UInt8(value) | standardOnly
            values[Int(urlSafe[value])] = UInt8(value) | urlSafeOnly
        }
        for character in [0x20, 0x09, 0x0a, 0x0d] { values[character] = space }
        values[Int(UInt8(ascii: "="))] = padding
        return values
    }()

    private static func alphabet(
        endingIn secondLast: Unicode.Scalar, _ last: Unicode.Scalar
    ) -> InlineArray<64, UInt8> {
        InlineArray { index in
            switch index {
            case 0..<26: UInt8(ascii: "A") + UInt8(index)
            case 26..<52: UInt8(ascii: "a") + UInt8(index - 26)
            case 52..<62: UInt8(ascii: "0") + UInt8(index - 52)
            case 62: UInt8(ascii: secondLast)
            default: UInt8(ascii: last)
            }
        }
    }
}
