import AppAttest
import Refresh
import TestSupport
import Testing

@Suite("Journal entries in octets")
struct JournalEntryTests {
    private static func entry(
        environment: Environment = .production, serverDate: Instant? = Samples.noon, answer: [UInt8] = [0xa5, 1]
    ) throws -> JournalEntry {
        JournalEntry(
            receivedTime: Samples.noon + .microseconds(1), serverDate: serverDate, environment: environment,
            appID: try Samples.app(), keyID: try #require(KeyIdentifier(Samples.bytes(1))),
            sentDigest: try #require(SHA256Digest(Samples.bytes(2))), sentCreationTime: Samples.noon - .days(7),
            answer: ReceiptBytes(answer))
    }

    @Test("an entry is read back as it was written", arguments: Environment.allCases, [Samples.noon, nil])
    func roundTrip(environment: Environment, date: Instant?) throws {
        for size in [1, 2, 3_000, 65_536] {
            let entry = try Self.entry(
                environment: environment, serverDate: date, answer: [UInt8](repeating: 0xa5, count: size))
            #expect(JournalEntry(octets: entry.octets) == entry)
        }
    }

    @Test("times before 1970 and at the ends of the scale are kept")
    func times() throws {
        for microseconds in [Int64.min, -1, 0, 1, .max] {
            let time = Instant(microseconds: microseconds)
            let entry = JournalEntry(
                receivedTime: time, serverDate: time, environment: .production, appID: try Samples.app(),
                keyID: try #require(KeyIdentifier(Samples.bytes(1))),
                sentDigest: try #require(SHA256Digest(Samples.bytes(2))), sentCreationTime: time,
                answer: ReceiptBytes([1]))
            #expect(JournalEntry(octets: entry.octets) == entry)
        }
    }

    @Test("the octets stand where the format says")
    func layout() throws {
        let octets = try Self.entry().octets
        #expect(Array(octets[..<3]) == [1, 0, 1])
        let noon = stride(from: UInt64(56), through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: UInt64(bitPattern: Samples.noon.microseconds) >> $0)
        }
        #expect(Array(octets[3..<10]) == Array(noon[..<7]) && octets[10] == noon[7] + 1)
        #expect(Array(octets[11..<19]) == noon)
        #expect(Array(octets[27..<59]) == Samples.bytes(1) && Array(octets[59..<91]) == Samples.bytes(2))
        #expect(octets[91] == 26)
        #expect(Array(octets[92..<118]) == Array("TEAMID1234.com.example.app".utf8))
        #expect(Array(octets[118...]) == [0xa5, 1])
        #expect(try Self.entry(environment: .development).octets[1] == 1)
        let dateless = try Self.entry(serverDate: nil).octets
        #expect(dateless[2] == 0 && dateless[11..<19].allSatisfy { $0 == 0 })
    }

    @Test(
        "octets that no entry gives are none",
        arguments: [
            (0, UInt8(0)), (0, 2), (1, 2), (1, 0xff), (2, 2), (2, 0), (91, 0), (91, 11), (91, 27), (91, 28), (91, 0xff),
            (92, 0x20), (92, 0xc3), (102, 0x41),
        ])
    func refused(place: Int, octet: UInt8) throws {
        var octets = try Self.entry().octets
        octets[place] = octet
        #expect(JournalEntry(octets: octets) == nil)
    }

    @Test("cut anywhere before the answer's second octet it is none, and nothing traps")
    func cut() throws {
        let octets = try Self.entry().octets
        for end in 0..<(octets.count - 1) { #expect(JournalEntry(octets: Array(octets[..<end])) == nil) }
        #expect(try JournalEntry(octets: octets.dropLast()) == Self.entry(answer: [0xa5]))
    }

    @Test("damaged octets never trap, and what is read from them is written as the same octets")
    func damaged() throws {
        var random = SeededGenerator(seed: 20)
        let sound = try Self.entry(answer: Samples.bytes(3)).octets
        var read = 0
        for _ in 0..<20_000 {
            var octets = sound
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                octets[Int.random(in: octets.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            octets.removeLast(Int.random(in: 0...2, using: &random))
            guard let entry = JournalEntry(octets: octets) else { continue }
            read += 1
            #expect(entry.octets == octets)
        }
        #expect(read > 1_000)
    }
}
