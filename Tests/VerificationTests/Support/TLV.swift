/// Identifier, length, contents: what the tests write BER with, in forms that no honest sender uses.
enum TLV {
    /// One element of definite length, its length in `surplus` more octets than it needs.
    static func definite(_ identifier: UInt8, _ contents: [UInt8], surplus: Int = 0) -> [UInt8] {
        var digits: [UInt8] = []
        var rest = contents.count
        while rest > 0 {
            digits.insert(UInt8(rest & 0xff), at: 0)
            rest >>= 8
        }
        if contents.count < 0x80, surplus == 0 { return [identifier, UInt8(contents.count)] + contents }
        if digits.isEmpty { digits = [0] }
        digits = Array(repeating: 0, count: contents.count < 0x80 ? surplus - 1 : surplus) + digits
        return [identifier, 0x80 | UInt8(digits.count)] + digits + contents
    }

    /// One element of indefinite length.
    static func indefinite(_ identifier: UInt8, _ contents: [UInt8]) -> [UInt8] {
        [identifier, 0x80] + contents + [0, 0]
    }

    static let sequence: UInt8 = 0x30
    static let set: UInt8 = 0x31
    static let octetString: UInt8 = 0x04

    static let data = hex("06092a864886f70d010701")
    static let signedData = hex("06092a864886f70d010702")
    static let sha256 = hex("300d06096086480165030402010500")
    static let sha384 = hex("300d06096086480165030402020500")
    static let ecdsaWithSHA256 = hex("300a06082a8648ce3d040302")

    /// Octets from hexadecimal digits.
    static func hex(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue).map(UInt8.init)
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
