import System
import Testing

@Suite("CRC-32C")
struct CRC32CTests {
    /// An iSCSI command, the last example of RFC 3720 B.4.
    private static let command: [UInt8] = [
        0x01, 0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x18,
        0x28, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    ]

    private static let vectors: [(octets: [UInt8], checksum: UInt32)] = [
        ([UInt8](repeating: 0, count: 32), 0x8a91_36aa),
        ([UInt8](repeating: 0xff, count: 32), 0x62a8_ab43),
        ([UInt8](0..<32), 0x46dd_794e),
        ([UInt8]((0..<32).reversed()), 0x113f_db5c),
        (command, 0xd996_3a56),
        ([UInt8]("123456789".utf8), 0xe306_9283),
        ([], 0),
    ]

    @Test("the examples of RFC 3720 B.4, and the check value of the polynomial's catalogues", arguments: vectors)
    func examples(octets: [UInt8], checksum: UInt32) {
        #expect(CRC32C(octets).value == checksum)
    }

    @Test("octets in two pieces have the checksum of the whole, wherever the cut is")
    func pieces() {
        let octets = (0..<61).map { UInt8(truncatingIfNeeded: $0 * 37) }
        for cut in 0...octets.count {
            var checksum = CRC32C(Array(octets[..<cut]))
            checksum.update(Array(octets[cut...]))
            #expect(checksum == CRC32C(octets))
        }
    }
}
