/// A writer of DER (ITU-T X.690 § 10), enough for certificates and receipts.
///
/// The simulator shares no code with what reads receipts, so that no misreading hides behind the same miswriting.
enum DER {
    /// Identifier, definite length, contents.
    static func element(_ identifier: UInt8, _ contents: [UInt8]) -> [UInt8] {
        concatenated([[identifier], length(contents.count), contents])
    }

    /// The length octets: short form up to 127, else the fewest octets.
    static func length(_ count: Int) -> [UInt8] {
        if count < 0x80 { return [UInt8(count)] }
        var octets: [UInt8] = []
        var rest = count
        while rest > 0 {
            octets.insert(UInt8(rest & 0xff), at: 0)
            rest >>= 8
        }
        return [0x80 | UInt8(octets.count)] + octets
    }

    /// SEQUENCE of the parts in this order.
    static func sequence(_ parts: [[UInt8]]) -> [UInt8] { element(0x30, concatenated(parts)) }

    /// SET of the parts in this order; the caller sorts where DER asks for it.
    static func set(_ parts: [[UInt8]]) -> [UInt8] { element(0x31, concatenated(parts)) }

    /// OCTET STRING, primitive.
    static func octetString(_ bytes: [UInt8]) -> [UInt8] { element(0x04, bytes) }

    /// BIT STRING with `unused` bits left over in its last octet.
    static func bitString(_ bytes: [UInt8], unused: UInt8 = 0) -> [UInt8] { element(0x03, [unused] + bytes) }

    /// INTEGER of a big-endian magnitude: leading zeros dropped, one put back where the top bit is set.
    static func integer(_ magnitude: [UInt8]) -> [UInt8] {
        let digits = Array(magnitude.drop { $0 == 0 })
        guard let first = digits.first else { return [0x02, 0x01, 0x00] }
        return element(0x02, first & 0x80 == 0 ? digits : [0] + digits)
    }

    /// INTEGER of a small number.
    static func integer(_ value: UInt8) -> [UInt8] { integer([value]) }

    /// UTF8String.
    static func utf8String(_ text: String) -> [UInt8] { element(0x0c, Array(text.utf8)) }

    /// PrintableString; the caller keeps to its alphabet.
    static func printableString(_ text: String) -> [UInt8] { element(0x13, Array(text.utf8)) }

    /// BOOLEAN TRUE.
    static let yes: [UInt8] = [0x01, 0x01, 0xff]

    /// NULL.
    static let null: [UInt8] = [0x05, 0x00]

    /// `[number]`, constructed.
    static func context(_ number: UInt8, _ contents: [UInt8]) -> [UInt8] { element(0xa0 | number, contents) }

    /// `[number]`, primitive (IMPLICIT over a primitive type).
    static func contextPrimitive(_ number: UInt8, _ contents: [UInt8]) -> [UInt8] { element(0x80 | number, contents) }

    /// OBJECT IDENTIFIER from its arcs.
    static func objectIdentifier(_ arcs: [UInt]) -> [UInt8] {
        var octets: [UInt8] = []
        for arc in [arcs[0] * 40 + arcs[1]] + arcs.dropFirst(2) {
            var digits = [UInt8(arc & 0x7f)]
            var rest = arc >> 7
            while rest > 0 {
                digits.insert(UInt8(rest & 0x7f) | 0x80, at: 0)
                rest >>= 7
            }
            octets += digits
        }
        return element(0x06, octets)
    }
}

/// The one form that Apple's receipts use beyond DER: indefinite lengths (ITU-T X.690 § 8.1.3.6).
enum BER {
    /// Identifier, indefinite length, contents, end-of-contents.
    static func indefinite(_ identifier: UInt8, _ parts: [[UInt8]]) -> [UInt8] {
        concatenated([[identifier, 0x80]] + parts + [[0x00, 0x00]])
    }

    /// A constructed OCTET STRING in primitive pieces of `size` octets and what remains.
    static func chunkedOctetString(_ bytes: [UInt8], size: Int) -> [UInt8] {
        let pieces = stride(from: 0, to: bytes.count, by: size).map { start in
            DER.octetString(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        return indefinite(0x24, pieces)
    }
}

/// The parts, one behind the other, copied once each: `joined()` walks octet by octet, a fifth of a request's time.
private func concatenated(_ parts: [[UInt8]]) -> [UInt8] {
    var whole: [UInt8] = []
    whole.reserveCapacity(parts.reduce(0) { $0 + $1.count })
    for part in parts { whole += part }
    return whole
}
