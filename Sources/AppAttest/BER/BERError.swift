/// Why bytes are not the BER that was expected. Offsets count from the first byte of the input.
public enum BERError: Error, Hashable, Sendable {
    /// `needed` more bytes were announced at `offset` than the `found` ones that are left there.
    case truncated(needed: Int, found: Int, offset: Int)
    /// Another element than the expected one stands at `offset`.
    case unexpectedIdentifier(expected: UInt8, found: UInt8, offset: Int)
    /// The surrounding element ends at `offset`, where one more element was expected.
    case missingElement(expected: UInt8, offset: Int)
    /// The surrounding element should end at `offset`, but `count` more bytes stand there.
    case surplusBytes(count: Int, offset: Int)
    /// A length of more than four significant octets, or the reserved first octet `ff`.
    case unreadableLength(firstOctet: UInt8, offset: Int)
    /// An identifier with a tag number of more than 28 bits.
    case unreadableTag(offset: Int)
    /// An indefinite length on a primitive element (X.690 § 8.1.3.2).
    case indefinitePrimitive(identifier: UInt8, offset: Int)
    /// End-of-contents octets inside an element of definite length.
    case strayEndOfContents(offset: Int)
    /// An element of indefinite length without its end-of-contents octets.
    case missingEndOfContents(offset: Int)
    /// Elements of indefinite length inside each other, more than `limit` deep.
    case tooDeep(limit: Int, offset: Int)
    /// An INTEGER without octets, with needless leading octets, negative, or of more than four octets.
    case unreadableInteger(octets: Int, offset: Int)

    /// A stable word for machines.
    public var word: String {
        switch self {
        case .truncated: "truncated"
        case .unexpectedIdentifier: "unexpected_element"
        case .missingElement: "missing_element"
        case .surplusBytes: "surplus_bytes"
        case .unreadableLength: "unreadable_length"
        case .unreadableTag: "unreadable_tag"
        case .indefinitePrimitive: "indefinite_primitive"
        case .strayEndOfContents: "stray_end_of_contents"
        case .missingEndOfContents: "missing_end_of_contents"
        case .tooDeep: "needless_nesting"
        case .unreadableInteger: "unreadable_integer"
        }
    }
}

extension BERError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .truncated(let needed, let found, let offset):
            "expected \(needed) more bytes at offset \(offset), found \(found)"
        case .unexpectedIdentifier(let expected, let found, let offset):
            "expected identifier \(Self.hex(expected)) at offset \(offset), found \(Self.hex(found))"
        case .missingElement(let expected, let offset):
            "expected identifier \(Self.hex(expected)) at offset \(offset), found the end of the surrounding element"
        case .surplusBytes(let count, let offset):
            "expected the element to end at offset \(offset), found \(count) more bytes"
        case .unreadableLength(let firstOctet, let offset):
            "expected at most four length octets at offset \(offset), found more behind \(Self.hex(firstOctet))"
        case .unreadableTag(let offset):
            "expected a tag number of at most 28 bits at offset \(offset), found a longer one"
        case .indefinitePrimitive(let identifier, let offset):
            "expected a definite length of \(Self.hex(identifier)) at offset \(offset), found an indefinite one"
        case .strayEndOfContents(let offset):
            "expected an element at offset \(offset), found end-of-contents octets inside a definite length"
        case .missingEndOfContents(let offset):
            "expected end-of-contents octets by offset \(offset), found none"
        case .tooDeep(let limit, let offset):
            "expected at most \(limit) indefinite lengths inside each other, found one more at offset \(offset)"
        case .unreadableInteger(let octets, let offset):
            "expected a minimal non-negative INTEGER of 1 to 4 octets at offset \(offset), found \(octets) octets"
        }
    }

    /// An octet as it is written in errors: `0x30`.
    static func hex(_ octet: UInt8) -> String { "0x\(octet.hexadecimal)" }
}
