// Looking ahead, white space, comments, and the errors that say what stands where.

extension JSON5Reader {
    /// The byte to read next; nil at the end.
    var peek: UInt8? { index < text.count ? text[index] : nil }

    /// The run of letters, digits, `$` and `_` that begins at an offset; empty when there is none.
    func word(at offset: Int) -> String {
        let run = text[offset...].prefix { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "_"), UInt8(ascii: "$"): true
            default: false
            }
        }
        return String(decoding: run, as: UTF8.self)
    }

    /// Refuses a text that is not UTF-8, at the first byte that is not.
    func checkEncoding() throws(JSON5Error) {
        // The library's check is many times as fast as a walk over scalars, which is left for finding the place.
        if String(validating: text, as: UTF8.self) != nil { return }
        guard let failure = firstInvalidOffset() else { return }
        throw JSON5Error(
            place: TextPlace(of: failure, in: text), expected: "UTF-8", found: "byte 0x" + hex(text[failure]))
    }

    private func firstInvalidOffset() -> Int? {
        var decoder = Unicode.UTF8.ForwardParser()
        var iterator = text.makeIterator()
        var offset = 0
        while true {
            switch decoder.parseScalar(from: &iterator) {
            case .valid(let scalar): offset += scalar.count
            case .emptyInput: return nil
            case .error: return offset
            }
        }
    }

    /// Skips white space and, in JSON5, comments.
    mutating func skipSpace() throws(JSON5Error) {
        while let byte = peek {
            switch byte {
            case 0x20, 0x09, 0x0a, 0x0d: index += 1
            case 0x0b, 0x0c:
                guard dialect == .json5 else { return }
                index += 1
            case UInt8(ascii: "/"):
                guard dialect == .json5 else { return }
                try skipComment()
            case 0xc2, 0xe1, 0xe2, 0xe3, 0xef:
                guard dialect == .json5, let length = wideSpaceLength() else { return }
                index += length
            default: return
            }
        }
    }

    // JSON5 § 8: U+00A0, U+FEFF, the line and paragraph separators, and Unicode's category Zs.
    private func wideSpaceLength() -> Int? {
        let scalar = String(decoding: text[index...].prefix(3), as: UTF8.self).unicodeScalars.first
        guard let scalar else { return nil }
        switch scalar.value {
        case 0xa0, 0x1680, 0x2000...0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff:
            return UTF8.width(scalar)
        default: return nil
        }
    }

    private mutating func skipComment() throws(JSON5Error) {
        let start = index
        switch index + 1 < text.count ? text[index + 1] : nil {
        case UInt8(ascii: "/"):
            while let byte = peek, byte != 0x0a, byte != 0x0d { index += 1 }
        case UInt8(ascii: "*"):
            index += 2
            while index + 1 < text.count {
                if text[index] == UInt8(ascii: "*"), text[index + 1] == UInt8(ascii: "/") {
                    index += 2
                    return
                }
                index += 1
            }
            let place = TextPlace(of: start, in: text)
            index = text.count
            throw unexpected("'*/' to end the comment from line \(place.line), column \(place.column)")
        default: throw unexpected("a comment")
        }
    }

    /// An error at the present place.
    func unexpected(_ expected: String) -> JSON5Error {
        JSON5Error(place: TextPlace(of: index, in: text), expected: expected, found: describe(index))
    }

    /// An error about a key that stands twice in one object.
    func repeated(_ member: JSON5Member, first: Int) -> JSON5Error {
        let place = TextPlace(of: first, in: text)
        return JSON5Error(
            place: TextPlace(of: member.keyOffset, in: text), expected: "each key once",
            found: "\"\(excerpt(member.key))\" again (first at line \(place.line), column \(place.column))")
    }

    // What stands at an offset, in a few safe characters.
    private func describe(_ offset: Int) -> String {
        guard offset < text.count else { return "the end of the text" }
        let word = word(at: offset)
        if !word.isEmpty { return word.count > 20 ? "'\(word.prefix(20))…'" : "'\(word)'" }
        if text[offset] == 0x0a || text[offset] == 0x0d { return "the end of the line" }
        guard let scalar = String(decoding: text[offset...].prefix(4), as: UTF8.self).unicodeScalars.first,
            scalar.value >= 0x20, scalar.value != 0x7f
        else { return "byte 0x" + hex(text[offset]) }
        return "'\(Character(scalar))'"
    }

    private func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }
}
