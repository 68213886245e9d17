// Strings and numbers.

extension JSON5Reader {
    /// A string, its opening quote being next.
    mutating func readString() throws(JSON5Error) -> String {
        let quote = text[index]
        let start = index
        var scalars: [UInt8] = []
        index += 1
        while let byte = peek {
            switch byte {
            case quote:
                index += 1
                return String(decoding: scalars, as: UTF8.self)
            case UInt8(ascii: "\\"): try readEscape(into: &scalars)
            case 0x0a, 0x0d: throw unexpected("a closing quote before the end of the line")
            case 0x00..<0x20 where dialect == .json: throw unexpected("an escape for a control character")
            default:
                // A run of plain characters at once: nearly all of a receipt's base64.
                let run = text[index...].prefix { $0 != quote && $0 != UInt8(ascii: "\\") && $0 >= 0x20 }
                scalars += run.isEmpty ? text[index...index] : run
                index += max(1, run.count)
            }
        }
        let place = TextPlace(of: start, in: text)
        throw unexpected("a closing quote for the string from line \(place.line), column \(place.column)")
    }

    private mutating func readEscape(into bytes: inout [UInt8]) throws(JSON5Error) {
        index += 1
        guard let byte = peek else { throw unexpected("an escape") }
        if let plain = plainEscape(byte) {
            bytes.append(plain)
            index += 1
            return
        }
        switch byte {
        case UInt8(ascii: "u"):
            bytes += Array(String(Character(try readUnicodeEscape())).utf8)
        case UInt8(ascii: "x") where dialect == .json5:
            index += 1
            bytes += Array(String(Character(Unicode.Scalar(UInt8(try readHexDigits(2))))).utf8)
        case 0x0d where dialect == .json5:
            index += 1
            if peek == 0x0a { index += 1 }
        case 0x0a where dialect == .json5: index += 1
        case 0x30 where dialect == .json5:
            index += 1
            if let next = peek, (0x30...0x39).contains(next) { throw unexpected("no digit after \\0") }
            bytes.append(0)
        case 0x31...0x39: throw unexpected("an escape")
        default:
            // JSON5 § 5.1: any other character stands for itself; its further bytes follow as plain ones.
            guard dialect == .json5 else { throw unexpected("an escape") }
            bytes.append(byte)
            index += 1
        }
    }

    private func plainEscape(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0c
        case UInt8(ascii: "n"): 0x0a
        case UInt8(ascii: "r"): 0x0d
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "v"): dialect == .json5 ? 0x0b : nil
        default: nil
        }
    }

    // `uXXXX`, or two of them that are a surrogate pair (RFC 8259 § 7).
    private mutating func readUnicodeEscape() throws(JSON5Error) -> Unicode.Scalar {
        index += 1
        let first = try readHexDigits(4)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xdc00, peek == UInt8(ascii: "\\"), index + 1 < text.count, text[index + 1] == UInt8(ascii: "u")
        else { throw unexpected("a whole surrogate pair") }
        index += 2
        let second = try readHexDigits(4)
        guard (0xdc00...0xdfff).contains(second),
            let scalar = Unicode.Scalar(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
        else { throw unexpected("a whole surrogate pair") }
        return scalar
    }

    private mutating func readHexDigits(_ count: Int) throws(JSON5Error) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw unexpected("\(count) hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }

    /// A number, its sign or first character being next.
    mutating func readNumber() throws(JSON5Error) -> JSON5Value {
        let start = index
        var isNegative = false
        if peek == UInt8(ascii: "-") || peek == UInt8(ascii: "+") {
            isNegative = peek == UInt8(ascii: "-")
            index += 1
        }
        if dialect == .json5, let special = try readSpecialNumber(isNegative: isNegative) { return special }
        let whole = skipDigits()
        let beginsWithZero = whole > 1 && text[index - whole] == UInt8(ascii: "0")
        guard !beginsWithZero else {
            index -= whole
            throw unexpected("a number without leading zeros")
        }
        let fraction = try skipFraction(whole: whole)
        let exponent = try skipExponent()
        guard word(at: index).isEmpty else { throw unexpected("the end of the number") }
        let digits = String(decoding: text[start..<index], as: UTF8.self)
        if !fraction, !exponent, let value = Int(digits) { return .integer(value) }
        guard let value = Double(padded(digits)), value.isFinite else {
            index = start
            throw unexpected("a number that fits")
        }
        return .real(value)
    }

    private mutating func readSpecialNumber(isNegative: Bool) throws(JSON5Error) -> JSON5Value? {
        let word = word(at: index)
        switch word {
        case "Infinity":
            index += 8
            return .real(isNegative ? -Double.infinity : .infinity)
        case "NaN":
            index += 3
            return .real(.nan)
        default: break
        }
        guard word.hasPrefix("0x") || word.hasPrefix("0X") else { return nil }
        guard let value = Int((isNegative ? "-" : "") + word.dropFirst(2), radix: 16) else {
            throw unexpected("a hexadecimal number that fits")
        }
        index += word.utf8.count
        return .integer(value)
    }

    private mutating func skipDigits() -> Int {
        let start = index
        while let byte = peek, (0x30...0x39).contains(byte) { index += 1 }
        return index - start
    }

    private mutating func skipFraction(whole: Int) throws(JSON5Error) -> Bool {
        guard peek == UInt8(ascii: ".") else {
            if whole == 0 { throw unexpected("a digit") }
            return false
        }
        if whole == 0, dialect == .json { throw unexpected("a digit") }
        index += 1
        let digits = skipDigits()
        if digits == 0, whole == 0 || dialect == .json { throw unexpected("a digit") }
        return true
    }

    private mutating func skipExponent() throws(JSON5Error) -> Bool {
        guard peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") else { return false }
        index += 1
        if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { index += 1 }
        if skipDigits() == 0 { throw unexpected("a digit") }
        return true
    }

    // JSON5 allows `.5` and `5.`; Swift's Double wants a digit on both sides.
    private func padded(_ digits: String) -> String {
        guard let point = digits.firstIndex(of: ".") else { return digits }
        let before = digits[..<point]
        let after = digits[digits.index(after: point)...]
        let needsWhole = before.last.map { !$0.isNumber } ?? true
        let needsPart = after.first.map { !$0.isNumber } ?? true
        return before + (needsWhole ? "0." : ".") + (needsPart ? "0" : "") + after
    }
}
