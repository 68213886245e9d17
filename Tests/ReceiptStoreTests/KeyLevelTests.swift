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

    @Test("without a time, the level is that of the present")
    func present() async throws {
        try await Stores.lend { stores in
            let levels = try await stores.texts("SELECT level FROM attestwatch.key_level('\\x00')")
            #expect(levels == ["not_on_record"])
        }
    }
}
