/// How a journal file stands on the disk: a header, then records one after another. All numbers are big-endian.
///
///     header   7 octets "awjourn", 1 octet version
///     record   4 octets length of the payload
///              4 octets CRC-32C of those four, so that a damaged length is never followed
///              4 octets CRC-32C of the payload
///              the payload
enum JournalFormat {
    /// What a file begins with, but for its version.
    static let magic = Array("awjourn".utf8)
    /// The version that is written, and the only one that is read.
    static let version: UInt8 = 1
    /// What a file begins with.
    static let header = magic + [version]
    /// Octets of a record before its payload.
    static let recordHeaderSize = 12
    /// Octets of a payload: an entry of the largest receipt fits four times.
    static let payloadSizes = 1...262_144

    /// The octets of these records.
    static func encode(_ payloads: [[UInt8]]) -> [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(payloads.reduce(0) { $0 + recordHeaderSize + $1.count })
        for payload in payloads {
            precondition(payloadSizes.contains(payload.count), "a record of \(payload.count) octets")
            let length = bigEndian(UInt32(payload.count))
            octets += length
            octets += bigEndian(CRC32C(length).value)
            octets += bigEndian(CRC32C(payload).value)
            octets += payload
        }
        return octets
    }

    /// The number in four octets.
    static func number(_ octets: ArraySlice<UInt8>) -> UInt32 {
        octets.reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [UInt8(number >> 24), UInt8(number >> 16 & 0xff), UInt8(number >> 8 & 0xff), UInt8(number & 0xff)]
    }
}
