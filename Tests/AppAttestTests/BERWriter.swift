/// How a written element says its length.
enum Length {
    case definite
    case indefinite
    /// So many length octets, more than are needed.
    case long(Int)
}

/// One element of BER with these contents.
func ber(_ identifier: UInt8, _ content: [UInt8], _ length: Length = .definite) -> [UInt8] {
    switch length {
    case .indefinite:
        return [identifier, 0x80] + content + [0, 0]
    case .definite:
        guard content.count >= 0x80 else { return [identifier, UInt8(content.count)] + content }
        var octets: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            octets.insert(UInt8(rest & 0xff), at: 0)
            rest >>= 8
        }
        return [identifier, 0x80 | UInt8(octets.count)] + octets + content
    case .long(let count):
        let octets = (0..<count).reversed().map { UInt8(truncatingIfNeeded: content.count >> ($0 * 8)) }
        return [identifier, 0x80 | UInt8(count)] + octets + content
    }
}

/// A SEQUENCE of these elements.
func sequence(_ elements: [UInt8]..., length: Length = .definite) -> [UInt8] {
    ber(0x30, Array(elements.joined()), length)
}
