/// A certificate's serial number. Its text form is hexadecimal, as `openssl x509 -serial` prints it in lower case.
public struct SerialNumber: Hashable, Sendable, CustomStringConvertible {
    /// Big-endian, without leading zero octets.
    public let bytes: [UInt8]

    /// Drops leading zero octets.
    public init(_ bytes: [UInt8]) {
        self.bytes = Array(bytes.drop { $0 == 0 })
    }

    /// Reads hexadecimal digits of either case, with or without colons between octets; nil for anything else.
    public init?(hexadecimal text: String) {
        var digits: [UInt8] = []
        for character in text where character != ":" {
            guard character.isASCII, let digit = character.hexDigitValue else { return nil }
            digits.append(UInt8(digit))
        }
        guard !digits.isEmpty else { return nil }
        if !digits.count.isMultiple(of: 2) { digits.insert(0, at: 0) }
        self.init(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }

    public var description: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
