/// The state of reading one base64 text: the group that is being put together, and which alphabet was seen.
struct Base64Decoder {
    private var group: UInt32 = 0
    private var charactersInGroup = 0
    private var paddingSeen = 0
    private var marksSeen: UInt8 = 0
    private var offset = 0

    /// Reads the whole of `text`; `output` has room for three octets for each begun group of four characters.
    mutating func decode(_ text: Span<UInt8>, into output: inout OutputSpan<UInt8>) throws(Base64Error) {
        let table = Base64Alphabet.values
        let values = table.span
        while offset < text.count {
            if charactersInGroup == 0, paddingSeen == 0 { takeWholeGroups(text, values, into: &output) }
            if offset < text.count { try takeOne(text[offset], values, into: &output) }
        }
        try finish(into: &output)
        if output.isEmpty { throw .empty }
    }

    /// The fast way: groups of four characters of the standard alphabet that stand together.
    private mutating func takeWholeGroups(
        _ text: Span<UInt8>, _ values: Span<UInt8>, into output: inout OutputSpan<UInt8>
    ) {
        var offset = offset
        var marks = marksSeen
        guard marks & Base64Alphabet.urlSafeOnly == 0 else { return }
        while offset + 4 <= text.count {
            let first = values[Int(text[offset])]
            let second = values[Int(text[offset + 1])]
            let third = values[Int(text[offset + 2])]
            let fourth = values[Int(text[offset + 3])]
            let all = first | second | third | fourth
            guard all < 0x80 else { break }
            marks |= all & Base64Alphabet.standardOnly
            output.append(first << 2 | second >> 4 & 0x03)
            output.append(second << 4 | third >> 2 & 0x0f)
            output.append(third << 6 | fourth & 0x3f)
            offset += 4
        }
        self.offset = offset
        marksSeen = marks
    }

    private mutating func takeOne(
        _ character: UInt8, _ values: Span<UInt8>, into output: inout OutputSpan<UInt8>
    ) throws(Base64Error) {
        let value = values[Int(character)]
        switch value {
        case Base64Alphabet.space:
            break
        case Base64Alphabet.padding:
            paddingSeen += 1
            guard charactersInGroup >= 2, charactersInGroup + paddingSeen <= 4 else {
                throw .wrongPadding(offset: offset)
            }
        case Base64Alphabet.stranger:
            throw .unexpectedCharacter(character, offset: offset)
        default:
            guard paddingSeen == 0 else { throw .wrongPadding(offset: offset) }
            marksSeen |= value & (Base64Alphabet.standardOnly | Base64Alphabet.urlSafeOnly)
            guard marksSeen != Base64Alphabet.standardOnly | Base64Alphabet.urlSafeOnly else {
                throw .mixedAlphabets(offset: offset)
            }
            group = group << 6 | UInt32(value & 0x3f)
            charactersInGroup += 1
            if charactersInGroup == 4 { flush(3, into: &output) }
        }
        offset += 1
    }

    private mutating func finish(into output: inout OutputSpan<UInt8>) throws(Base64Error) {
        if paddingSeen > 0, charactersInGroup + paddingSeen != 4 { throw .wrongPadding(offset: offset) }
        switch charactersInGroup {
        case 0: return
        case 1: throw .truncated(offset: offset)
        case let count:
            group <<= UInt32(6 * (4 - count))
            guard group & (count == 2 ? 0xffff : 0xff) == 0 else { throw .strayBits(offset: offset) }
            flush(count - 1, into: &output)
        }
    }

    /// Hands on the first `count` octets of the group and begins the next one.
    private mutating func flush(_ count: Int, into output: inout OutputSpan<UInt8>) {
        for index in 0..<count { output.append(UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * index))) }
        group = 0
        charactersInGroup = 0
    }
}
