/// CRC-32C (Castagnoli), as RFC 3720 Appendix B.4 gives examples of it.
///
/// Eight tables are looked up at once ("slicing by 8"), so that eight octets cost about what one did.
package struct CRC32C: Hashable, Sendable {
    // 0x1EDC6F41 (RFC 3720 § 12.1) with its bits reversed, since the lowest bit goes first.
    private static let polynomial: UInt32 = 0x82f6_3b78
    // Table k, entry n: the remainder of octet n with k zero octets behind it.
    private static let tables: [UInt32] = makeTables()

    private var remainder: UInt32 = 0xffff_ffff

    /// Of nothing yet.
    package init() {}

    /// Of these octets.
    package init(_ octets: [UInt8]) {
        update(octets)
    }

    /// The checksum of all octets so far.
    package var value: UInt32 { ~remainder }

    /// Takes in the octets that follow.
    package mutating func update(_ octets: [UInt8]) {
        var crc = remainder
        unsafe octets.withUnsafeBytes { bytes in
            unsafe Self.tables.withUnsafeBufferPointer { tables in
                var place = 0
                while place + 8 <= bytes.count {
                    let word = unsafe UInt64(
                        littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                    crc = unsafe Self.step(word ^ UInt64(crc), tables)
                    place += 8
                }
                while place < bytes.count {
                    crc = unsafe crc >> 8 ^ tables[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[place])]
                    place += 1
                }
            }
        }
        remainder = crc
    }

    /// The remainder of eight octets, the first of which stands lowest.
    private static func step(_ word: UInt64, _ tables: UnsafeBufferPointer<UInt32>) -> UInt32 {
        let low =
            unsafe tables[1792 + Int(word & 0xff)] ^ tables[1536 + Int(word >> 8 & 0xff)]
            ^ tables[1280 + Int(word >> 16 & 0xff)] ^ tables[1024 + Int(word >> 24 & 0xff)]
        let high =
            unsafe tables[768 + Int(word >> 32 & 0xff)] ^ tables[512 + Int(word >> 40 & 0xff)]
            ^ tables[256 + Int(word >> 48 & 0xff)] ^ tables[Int(word >> 56)]
        return low ^ high
    }

    private static func makeTables() -> [UInt32] {
        var tables = (0..<256).map { octet in
            (0..<8).reduce(UInt32(octet)) { crc, _ in crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ polynomial }
        }
        for place in 256..<2048 {
            let before = tables[place - 256]
            tables.append(before >> 8 ^ tables[Int(before & 0xff)])
        }
        return tables
    }
}
