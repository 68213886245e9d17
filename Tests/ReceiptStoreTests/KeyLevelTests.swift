import AppAttest
import ReceiptStore
import Refresh
import Risk
import Testing

@Suite("The level of a key")
struct KeyLevelTests {
    /// What happens to key 1, taken in at `start`, and what its level is then.
    struct Story: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var metric: Int?
        var isQuiet = false
        var isRetired = false
        var asked: Duration = .days(2)
        let expected: KeyLevel
    }

    private static let read = start + .days(1)

    private static let stories = [
        Story(
            testDescription: "no reading yet",
            expected: KeyLevel(level: "unknown", riskMetric: nil, metricTime: nil, flagLevel: nil)),
        Story(
            testDescription: "under every threshold", metric: 3,
            expected: KeyLevel(level: "clear", riskMetric: 3, metricTime: read, flagLevel: nil)),
        Story(
            testDescription: "at watch", metric: 4,
            expected: KeyLevel(level: "watch", riskMetric: 4, metricTime: read, flagLevel: .watch)),
        Story(
            testDescription: "at review", metric: 6,
            expected: KeyLevel(level: "review", riskMetric: 6, metricTime: read, flagLevel: .review)),
        Story(
            testDescription: "at high", metric: 20,
            expected: KeyLevel(level: "high", riskMetric: 20, metricTime: read, flagLevel: .high)),
        Story(
            testDescription: "the last instant of a fresh reading", metric: 20,
            asked: .days(31) - .microseconds(1),
            expected: KeyLevel(level: "high", riskMetric: 20, metricTime: read, flagLevel: .high)),
        Story(
            testDescription: "30 days after the reading", metric: 20, asked: .days(31),
            expected: KeyLevel(level: "stale", riskMetric: 20, metricTime: read, flagLevel: .high)),
        Story(
            testDescription: "quiet, with its last reading and flag beside it", metric: 6, isQuiet: true,
            expected: KeyLevel(level: "quiet", riskMetric: 6, metricTime: read, flagLevel: .review)),
        Story(
            testDescription: "quiet and never read", isQuiet: true,
            expected: KeyLevel(level: "quiet", riskMetric: nil, metricTime: nil, flagLevel: nil)),
        Story(
            testDescription: "retired counts as quiet", metric: 2, isQuiet: true, isRetired: true, asked: .days(100),
            expected: KeyLevel(level: "quiet", riskMetric: 2, metricTime: read, flagLevel: nil)),
    ]

    @Test("every level, with reading, date and flag", arguments: stories)
    func level(story: Story) async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            if let metric = story.metric {
                try await stores.answer([receipt(1, created: Self.read, metric: metric)])
            }
            if story.isQuiet { try await stores.goQuiet(1, at: start + .days(2)) }
            if story.isRetired {
                #expect(try await stores.refresh.endExpired(now: start + .days(91), app: nil).retired == 1)
            }
            #expect(try await stores.reports.keyLevel(of: key(1), at: start + story.asked) == story.expected)
        }
    }

    @Test("a key that is not on record has a level too")
    func notOnRecord() async throws {
        try await Stores.lend { stores in
            let level = try await stores.reports.keyLevel(of: key(1), at: start)
            #expect(level == KeyLevel(level: "not_on_record", riskMetric: nil, metricTime: nil, flagLevel: nil))
        }
    }

    @Test("a key speaks for its device: another key's fresh reading and flag are its own")
    func device() async throws {
        try await Stores.lend { stores in
            _ = try await stores.intake.takeIn(
                [.attest(1, device: "phone"), .attest(2, device: "phone")], now: start)
            try await stores.answer([receipt(1, created: Self.read, metric: 8)])
            let expected = KeyLevel(level: "review", riskMetric: 8, metricTime: Self.read, flagLevel: .review)
            #expect(try await stores.reports.keyLevel(of: key(2), at: start + .days(2)) == expected)
            try await stores.goQuiet(2, at: start + .days(2))
            #expect(try await stores.reports.keyLevel(of: key(2), at: start + .days(2)) == expected)
        }
    }

    /// What became of key 1, and of its newer sibling 2, and what the device's keys then say.
    struct DeviceStory: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var older: Int?
        var isOlderQuiet = false
        var newer: Int?
        var isNewerQuiet = false
        var asked: Duration = .days(3)
        let olderLevel: String
        let newerLevel: String
        var shown: Int?
        var freshness: Freshness?
    }

    private static let deviceStories = [
        DeviceStory(
            testDescription: "a quiet sibling's fresh reading does not make a key clear that was never read",
            older: 1, isOlderQuiet: true, olderLevel: "quiet", newerLevel: "unknown", shown: 1),
        DeviceStory(
            testDescription: "nor flagged: its flag stands beside the level",
            older: 8, isOlderQuiet: true, olderLevel: "quiet", newerLevel: "unknown", shown: 8, freshness: .quiet),
        DeviceStory(
            testDescription: "a sibling that is not quiet speaks for it",
            older: 1, olderLevel: "clear", newerLevel: "clear", shown: 1),
        DeviceStory(
            testDescription: "its own fresh reading does, whoever else is quiet",
            older: 1, isOlderQuiet: true, newer: 2, olderLevel: "clear", newerLevel: "clear", shown: 2),
        DeviceStory(
            testDescription: "a stale reading of a sibling is none of a key that was never read",
            older: 8, asked: .days(40), olderLevel: "stale", newerLevel: "unknown", shown: 8, freshness: .stale),
        DeviceStory(
            testDescription: "a quiet newest key does not hide a heavy older one",
            older: 21, newer: 1, isNewerQuiet: true, olderLevel: "high", newerLevel: "high", shown: 21,
            freshness: .fresh),
        DeviceStory(
            testDescription: "the highest fresh reading is shown, not the newest",
            older: 21, newer: 5, olderLevel: "high", newerLevel: "high", shown: 21, freshness: .fresh),
        DeviceStory(
            testDescription: "without a fresh one the newest is",
            older: 21, newer: 5, isNewerQuiet: true, asked: .days(40), olderLevel: "stale", newerLevel: "quiet",
            shown: 5, freshness: .quiet),
    ]

    @Test("keys of one device: each key's level, and the same standing in the list", arguments: deviceStories)
    func deviceLevels(story: DeviceStory) async throws {
        try await Stores.lend { stores in
            _ = try await stores.intake.takeIn(
                [.attest(1, device: "phone"), .attest(2, created: start + .hours(1), device: "phone")],
                now: start + .hours(1))
            let read = start + .days(1)
            if let metric = story.older { try await stores.answer([receipt(1, created: read, metric: metric)]) }
            if let metric = story.newer {
                try await stores.answer([receipt(2, created: read + .hours(1), metric: metric)])
            }
            if story.isOlderQuiet { try await stores.goQuiet(1, at: start + .days(2)) }
            if story.isNewerQuiet { try await stores.goQuiet(2, at: start + .days(2)) }
            let now = start + story.asked
            let levels = [
                try await stores.reports.keyLevel(of: key(1), at: now),
                try await stores.reports.keyLevel(of: key(2), at: now),
            ]
            #expect(levels.map(\.level) == [story.olderLevel, story.newerLevel])
            #expect(levels.map(\.riskMetric) == [story.shown, story.shown])
            let listed = try await stores.reports.flaggedDevices(at: now)
            #expect(listed.map(\.freshness) == [story.freshness].compactMap { $0 })
            for device in listed {
                #expect(device.riskMetric == story.shown && device.metricTime == levels[0].metricTime)
                #expect(levels.map(\.flagLevel) == [device.level, device.level])
            }
        }
    }

    @Test("without a time, the level is that of the present")
    func present() async throws {
        try await Stores.lend { stores in
            let levels = try await stores.texts("SELECT level FROM attestwatch.key_level('\\x00')")
            #expect(levels == ["not_on_record"])
        }
    }
}
