import AppAttest
import Refresh
import Testing

@Suite("Subjects as the store keeps them")
struct SubjectTests {
    @Test("The storage text and the shard of a device and of a key are fixed for all time")
    func fixedValues() throws {
        let app = try #require(AppID("TEAMID1234.com.example.app"))
        let device = Subject.device(app, .production, deviceRef: "device 7")
        let key = Subject.key(try #require(KeyIdentifier((0..<32).map { UInt8($0) })))
        #expect(device.storageKey == "device:TEAMID1234.com.example.app production device 7")
        #expect(key.storageKey == "key:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
        #expect(device.shard == 59)
        #expect(key.shard == 31)
    }

    @Test("Ten thousand devices fall evenly into 64 shards")
    func evenShards() throws {
        let app = try #require(AppID("TEAMID1234.com.example.app"))
        let shards = (0..<10_000).map { Subject.device(app, .development, deviceRef: String($0)).shard }
        let counts = Dictionary(shards.map { ($0, 1) }, uniquingKeysWith: +)
        #expect(counts.count == Subject.shardCount)
        #expect(counts.values.allSatisfy { (100...220).contains($0) }, "\(counts)")
    }
}
