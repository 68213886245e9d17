/// Why text is not base64. Offsets count from the first octet of the text.
public enum Base64Error: Error, Hashable, Sendable {
    /// No characters but white space.
    case empty
    /// A character that neither alphabet has.
    case unexpectedCharacter(UInt8, offset: Int)
    /// Characters of the standard alphabet (`+`, `/`) and of the URL-safe one (`-`, `_`) in one text.
    case mixedAlphabets(offset: Int)
    /// Padding where none can be, or less or more of it than the last group needs.
    case wrongPadding(offset: Int)
    /// The text ends with one character of a group, which is no octet yet.
    case truncated(offset: Int)
    /// Bits behind the last octet that are not zero: the text was cut or changed.
    case strayBits(offset: Int)
}

extension Base64Error: CustomStringConvertible {
    public var description: String {
        switch self {
        case .empty: "expected base64 text, found none"
        case .unexpectedCharacter(let octet, let offset):
            "expected a base64 character at offset \(offset), found \(FieldValue.shown([octet]))"
        case .mixedAlphabets(let offset):
            "expected one base64 alphabet, found the standard and the URL-safe one mixed at offset \(offset)"
        case .wrongPadding(let offset):
            "expected padding that completes the last group of four, or none, found other padding at offset \(offset)"
        case .truncated(let offset): "expected whole octets, found a single character at the end, offset \(offset)"
        case .strayBits(let offset):
            "expected zero bits behind the last octet, found others in the last group before offset \(offset)"
        }
    }
}
