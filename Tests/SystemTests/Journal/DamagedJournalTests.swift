import Foundation
import System
import TestSupport
import Testing

@Suite("Reading a damaged journal")
struct DamagedJournalTests {
    private let records: [[UInt8]] = [[7, 7, 7], Array(0..<40), [UInt8](repeating: 9, count: 33)]
    private let headerSize = 8
    private let recordHeaderSize = 12

    private func read(_ octets: [UInt8]) async throws -> (payloads: [[UInt8]], losses: [JournalLoss]) {
        let folder = try JournalFolder()
        try folder.leave(octets)
        return try await folder.readLeft()
    }

    @Test("cut at any octet of its last record, all before it is read, and how much was dropped is told")
    func tornTail() async throws {
        let octets = try await JournalFolder.file(records)
        let last = octets.count - records[2].count - recordHeaderSize
        for end in last..<octets.count {
            let (payloads, losses) = try await read(Array(octets[..<end]))
            #expect(payloads == Array(records[..<2]))
            #expect(losses.map(\.dropped) == (end == last ? [] : [end - last]))
            #expect(losses.allSatisfy { $0.isTornTail && $0.offset == last })
        }
        #expect(try await read(octets).losses.isEmpty)
    }

    @Test("cut within its header, it holds nothing; with no octet at all, nothing is missing either")
    func tornHeader() async throws {
        let octets = try await JournalFolder.file(records)
        for end in 0..<headerSize {
            let (payloads, losses) = try await read(Array(octets[..<end]))
            #expect(payloads.isEmpty)
            #expect(losses.map(\.cause) == (end == 0 ? [] : [.cutShort(expected: headerSize, found: end)]))
        }
    }

    @Test("a flipped bit in any octet of the first record ends the reading there, and is no torn tail")
    func damagedMiddle() async throws {
        let octets = try await JournalFolder.file(records)
        for place in headerSize..<(headerSize + recordHeaderSize + records[0].count) {
            var damaged = octets
            damaged[place] ^= 0x10
            let (payloads, losses) = try await read(damaged)
            #expect(payloads.isEmpty)
            #expect(losses.map(\.dropped) == [octets.count - headerSize])
            #expect(losses.allSatisfy { !$0.isTornTail })
        }
    }

    @Test("a flipped bit in the payload of the last record may be a write that had not reached the disk")
    func damagedLast() async throws {
        var octets = try await JournalFolder.file(records)
        octets[octets.count - 1] ^= 1
        let (payloads, losses) = try await read(octets)
        #expect(payloads == Array(records[..<2]))
        #expect(losses.allSatisfy { $0.isTornTail })
        let expected = CRC32C(records[2]).value
        let found = CRC32C([UInt8](repeating: 9, count: 32) + [8]).value
        #expect(losses.map(\.cause) == [.lastRecord(expected: expected, found: found)])
    }

    @Test("zeros behind the last record are a torn tail, also where the header should be")
    func zeros() async throws {
        let octets = try await JournalFolder.file(records)
        let (payloads, losses) = try await read(octets + [UInt8](repeating: 0, count: 70_000))
        #expect(payloads == records)
        #expect(losses.map(\.cause) == [.zeros])
        #expect(losses.map(\.dropped) == [70_000])
        #expect(try await read([UInt8](repeating: 0, count: 100)).losses.map(\.cause) == [.zeros])
    }

    @Test("a length that no record has is not followed, even with the right checksum")
    func length() async throws {
        for length: [UInt8] in [[0, 0, 0, 0], [0, 4, 0, 1], [0xff, 0xff, 0xff, 0xff]] {
            let checksum = CRC32C(length).value
            let header = length + stride(from: UInt32(24), through: 0, by: -8).map { UInt8(checksum >> $0 & 0xff) }
            let octets = Array("awjourn".utf8) + [1] + header + [0, 0, 0, 0, 1]
            let number = length.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let losses = try await read(octets).losses
            #expect(losses.map(\.cause) == [.length(number)])
            #expect(losses.allSatisfy { !$0.isTornTail })
        }
    }

    @Test("another file, or another version's journal, is told from a torn one")
    func otherFiles() async throws {
        let text = try await read(Array("a file of somebody else".utf8))
        #expect(text.losses.map(\.cause) == [.header(Array("a file o".utf8))])
        let newer = try await read(Array("awjourn".utf8) + [2, 1, 1])
        #expect(newer.losses.map(\.cause) == [.version(expected: 1, found: 2)])
        #expect((text.losses + newer.losses).allSatisfy { !$0.isTornTail })
    }

    @Test("what is wrong is told with what was expected and what was found")
    func words() async throws {
        let octets = try await JournalFolder.file(records)
        #expect(try await read(octets.dropLast()).losses.map(\.reason) == ["expected 33 octets more, found 32"])
        var damaged = octets
        damaged[headerSize + recordHeaderSize] = 6
        let (expected, found) = (CRC32C([7, 7, 7]).value, CRC32C([6, 7, 7]).value)
        #expect(
            try await read(damaged).losses.map(\.reason) == [
                "expected the checksum \(hex(expected)), found \(hex(found))"
            ])
    }

    private func hex(_ number: UInt32) -> String {
        String(repeating: "0", count: number.leadingZeroBitCount / 4) + String(number, radix: 16)
    }
}
