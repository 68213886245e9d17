extension BERElement {
    /// The value of an INTEGER of one to four octets, minimal and not negative (X.690 § 8.3).
    func smallInteger(in bytes: Span<UInt8>) throws(BERError) -> Int {
        guard (1...4).contains(content.count), bytes[content.lowerBound] & 0x80 == 0, isMinimalInteger(in: bytes)
        else { throw .unreadableInteger(octets: content.count, offset: start) }
        var value = 0
        for offset in content { value = value << 8 | Int(bytes[offset]) }
        return value
    }

    /// Whether an INTEGER of any size has octets and no needless leading one; OpenSSL refuses all others.
    func isMinimalInteger(in bytes: Span<UInt8>) -> Bool {
        guard !content.isEmpty else { return false }
        guard content.count > 1 else { return true }
        let first = bytes[content.lowerBound]
        let nextIsNegative = bytes[content.lowerBound + 1] & 0x80 != 0
        return !(first == 0 && !nextIsNegative) && !(first == 0xff && nextIsNegative)
    }

    /// Whether the contents are exactly `expected`.
    func contentEquals(_ expected: [UInt8], in bytes: Span<UInt8>) -> Bool {
        guard content.count == expected.count else { return false }
        for index in expected.indices where bytes[content.lowerBound + index] != expected[index] { return false }
        return true
    }
}
