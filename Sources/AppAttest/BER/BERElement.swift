/// One element of BER by its offsets in the input: where it begins, where its contents are, where it ends.
struct BERElement {
    /// The first identifier octet; class, constructed bit and tag number (31: the number follows and is not kept).
    let identifier: UInt8
    /// Offset of the identifier octet.
    let start: Int
    /// The contents, without end-of-contents octets.
    let content: Range<Int>
    /// Offset behind the element, behind its end-of-contents octets where it has them.
    let end: Int
    /// Whether the length is indefinite.
    let isIndefinite: Bool
    /// Whether the length octets are the fewest possible; true for an indefinite length.
    let hasMinimalLength: Bool

    /// The whole element, header and all.
    var encoded: Range<Int> { start..<end }

    /// Whether the contents are elements themselves.
    var isConstructed: Bool { identifier & BERIdentifier.constructedBit != 0 }
}

/// Identifier and length octets of one element.
struct BERHeader {
    /// The first identifier octet.
    let identifier: UInt8
    /// Offset of the first content octet.
    let contentStart: Int
    /// The announced length of the contents; nil when it is indefinite. It lies within the limit that was given.
    let length: Int?
    /// Whether the length octets are the fewest possible; true for an indefinite length.
    let hasMinimalLength: Bool

    /// Whether the contents are elements themselves.
    var isConstructed: Bool { identifier & BERIdentifier.constructedBit != 0 }

    /// Reads the header at `start` of an element that has to end by `limit`.
    ///
    /// Longer length octets than needed are taken, as BER allows and OpenSSL does; who wants DER looks at
    /// `hasMinimalLength`.
    init(at start: Int, limit: Int, in bytes: Span<UInt8>) throws(BERError) {
        guard start < limit else { throw .truncated(needed: 2, found: limit - start, offset: start) }
        identifier = bytes[start]
        var offset = start + 1
        if identifier & 0x1f == 0x1f {
            offset = try BERHeader.skipTagNumber(at: offset, limit: limit, in: bytes)
        }
        guard offset < limit else { throw .truncated(needed: 1, found: 0, offset: offset) }
        let first = bytes[offset]
        let lengthOffset = offset
        offset += 1
        switch first {
        case 0..<0x80:
            length = Int(first)
            hasMinimalLength = true
        case 0x80:
            guard identifier & BERIdentifier.constructedBit != 0 else {
                throw .indefinitePrimitive(identifier: identifier, offset: start)
            }
            length = nil
            hasMinimalLength = true
        default:
            let count = Int(first & 0x7f)
            guard first != 0xff else { throw .unreadableLength(firstOctet: first, offset: lengthOffset) }
            guard limit - offset >= count else {
                throw .truncated(needed: count, found: limit - offset, offset: offset)
            }
            var value = 0
            for index in offset..<offset + count {
                guard value < 1 << 24 else { throw .unreadableLength(firstOctet: first, offset: lengthOffset) }
                value = value << 8 | Int(bytes[index])
            }
            hasMinimalLength = value >= 0x80 && bytes[offset] != 0
            offset += count
            length = value
        }
        contentStart = offset
        if let length, limit - offset < length {
            throw .truncated(needed: length, found: limit - offset, offset: offset)
        }
    }

    /// Steps over the octets of a tag number of 31 or more (X.690 § 8.1.2.4).
    private static func skipTagNumber(at start: Int, limit: Int, in bytes: Span<UInt8>) throws(BERError) -> Int {
        for offset in start..<start + 4 {
            guard offset < limit else { throw .truncated(needed: 1, found: 0, offset: offset) }
            if bytes[offset] & 0x80 == 0 { return offset + 1 }
        }
        throw .unreadableTag(offset: start)
    }
}
