import Risk
import Testing

@Suite("What a reading does to a flag")
struct AssessmentTests {
    /// A metric read while a flag is open (nil: none), and what it does under the standard thresholds: watch 4/2,
    /// review 6/4, high 20/13.
    private static let table: [(metric: Int?, open: FlagLevel?, change: FlagChange)] = [
        // No flag is open.
        (0, nil, .unchanged),
        (1, nil, .unchanged),
        (3, nil, .unchanged),
        (4, nil, .opened(.watch)),
        (5, nil, .opened(.watch)),
        (6, nil, .opened(.review)),
        (19, nil, .opened(.review)),
        (20, nil, .opened(.high)),
        (50_000, nil, .opened(.high)),
        // At watch.
        (5, .watch, .unchanged),
        (3, .watch, .unchanged),
        (2, .watch, .cleared(from: .watch)),
        (0, .watch, .cleared(from: .watch)),
        (6, .watch, .raised(from: .watch, to: .review)),
        (20, .watch, .raised(from: .watch, to: .high)),
        // At review.
        (19, .review, .unchanged),
        (5, .review, .unchanged),
        (4, .review, .lowered(from: .review, to: .watch)),
        (3, .review, .lowered(from: .review, to: .watch)),
        (2, .review, .cleared(from: .review)),
        (20, .review, .raised(from: .review, to: .high)),
        // At high.
        (100, .high, .unchanged),
        (14, .high, .unchanged),
        (13, .high, .lowered(from: .high, to: .review)),
        (5, .high, .lowered(from: .high, to: .review)),
        (4, .high, .lowered(from: .high, to: .watch)),
        (2, .high, .cleared(from: .high)),
        // An unknown metric does nothing, wherever the flag stands.
        (nil, nil, .unchanged),
        (nil, .watch, .unchanged),
        (nil, .review, .unchanged),
        (nil, .high, .unchanged),
    ]

    @Test("The table of thresholds", arguments: table)
    func thresholds(row: (metric: Int?, open: FlagLevel?, change: FlagChange)) {
        #expect(assess(metric: row.metric, open: row.open, policy: .standard) == row.change)
    }

    /// The level after a change.
    private func level(after change: FlagChange, from level: FlagLevel?) -> FlagLevel? {
        switch change {
        case .unchanged: level
        case .opened(let new), .raised(from: _, to: let new), .lowered(from: _, to: let new): new
        case .cleared: nil
        }
    }

    /// The changes that a row of readings makes, one after another.
    private func changes(_ metrics: [Int?], policy: RiskPolicy) -> [FlagChange] {
        var open: FlagLevel?
        return metrics.map { metric in
            let change = assess(metric: metric, open: open, policy: policy)
            open = level(after: change, from: open)
            return change
        }
    }

    @Test("9, 10, 9, 10 around a threshold of 10 rings once")
    func flapping() {
        let policy = RiskPolicy(
            watch: Threshold(raise: 10, clear: 7), review: Threshold(raise: 20, clear: 15),
            high: Threshold(raise: 40, clear: 30))
        #expect(
            changes([9, 10, 9, 10, 9, 10, 8, 7, 9, 10], policy: policy) == [
                .unchanged, .opened(.watch), .unchanged, .unchanged, .unchanged, .unchanged, .unchanged,
                .cleared(from: .watch), .unchanged, .opened(.watch),
            ])
    }

    @Test("A metric that falls day by day lowers a high flag step by step, and a gap in the readings changes nothing")
    func lowering() {
        #expect(
            changes([25, 16, nil, 13, 9, 4, nil, 3, 2, 1], policy: .standard) == [
                .opened(.high), .unchanged, .unchanged, .lowered(from: .high, to: .review), .unchanged,
                .lowered(from: .review, to: .watch), .unchanged, .unchanged, .cleared(from: .watch), .unchanged,
            ])
    }

    @Test("Whatever was read before, a metric at a raising threshold leaves at least that level", arguments: 0...60)
    func atLeastTheLevelReached(metric: Int) {
        let policy = RiskPolicy.standard
        for open in [nil] + FlagLevel.allCases.map(Optional.init) {
            let after = level(after: assess(metric: metric, open: open, policy: policy), from: open)
            for reached in FlagLevel.allCases where metric >= policy.threshold(of: reached).raise {
                #expect(after.map { $0 >= reached } == true, "\(metric) at \(String(describing: open))")
            }
            if let after {
                #expect(metric > policy.threshold(of: after).clear)
            }
        }
    }
}
