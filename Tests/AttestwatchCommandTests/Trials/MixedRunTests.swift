import AppAttest
import AttestwatchCommand
import Foundation
import TestSupport
import Testing

@Suite("A run in which everything comes at once")
struct MixedRunTests {
    /// What the data server does with a receipt, and the row that this leaves.
    struct Kind: Sendable {
        let name: String
        /// Members of the faults that do it, in turn; none for a receipt that is answered well.
        let faults: [String]
        /// Of a hundred receipts.
        let share: Int
        let outcome: String
        var state = "active"
        var reason = ""
        var attempts = 0
        var failures = 0
        /// Whether it is charged only once the lane is shown good.
        var isAttributed = false
    }

    private static let kinds = [
        Kind(name: "404", faults: [#""status": 404"#], share: 10, outcome: "quiet", state: "quiet"),
        Kind(name: "304", faults: [#""status": 304"#], share: 6, outcome: "early", failures: 1),
        Kind(
            name: "400, incorrect environment", faults: [#""status": 400, "body": "incorrect_environment""#], share: 6,
            outcome: "quarantined", state: "quarantined", reason: "environment", attempts: 1, isAttributed: true),
        Kind(
            name: "400", faults: [#""status": 400"#], share: 6, outcome: "failed", attempts: 1, isAttributed: true),
        Kind(
            name: "401", faults: [#""status": 401"#], share: 6, outcome: "quarantined", state: "quarantined",
            reason: "foreign_team", attempts: 1, isAttributed: true),
        Kind(
            name: "5xx", faults: [#""status": 500"#, #""status": 503"#], share: 6, outcome: "failed", failures: 1),
        Kind(
            name: "damaged",
            faults: ["damaged_signature", "changed_metric", "foreign_root", "other_key", "older", "half"].map {
                "\"body\": \"\($0)\""
            }, share: 6, outcome: "failed", attempts: 1, isAttributed: true),
        Kind(name: "ok", faults: [], share: 54, outcome: "replaced"),
    ]

    /// How many good ones stand at the beginning, which shows the lane good, and at the end, so that no failure is
    /// without one that was sent after it.
    private static let goodAtTheEnds = (first: 1, last: 300)

    /// Which kind each device is of, in the order in which they are due.
    ///
    /// Drawn anew where more than four rows side by side fail alike, which the run would take for a fault of ours
    /// sooner or later.
    private static func draw(_ count: Int, using random: inout SeededGenerator) -> [Int] {
        let ok = kinds.count - 1
        let drawn = kinds.indices.flatMap { kind in
            [Int](repeating: kind, count: kind == ok ? 0 : count * kinds[kind].share / 100)
        }
        let good = count - drawn.count - goodAtTheEnds.first - goodAtTheEnds.last
        while true {
            let middle = (drawn + [Int](repeating: ok, count: good)).shuffled(using: &random)
            let order =
                [Int](repeating: ok, count: goodAtTheEnds.first) + middle
                + [Int](repeating: ok, count: goodAtTheEnds.last)
            if longestAlike(order) <= 4 { return order }
        }
    }

    /// The most rows that fail alike with nothing between them that shows the lane good in all respects.
    private static func longestAlike(_ order: [Int]) -> Int {
        var longest = 0
        var streak = (kind: -1, count: 0)
        for kind in order {
            if kind == kinds.count - 1 {
                streak = (-1, 0)
            } else if kinds[kind].isAttributed {
                streak = streak.kind == kind ? (kind, streak.count + 1) : (kind, 1)
                longest = max(longest, streak.count)
            }
        }
        return longest
    }

    @Test("10,000 receipts of eight kinds: every row ends as its kind has it, and each was asked for once")
    func mixed() async throws {
        let seed = UInt64.random(in: 0 ..< .max)
        var random = SeededGenerator(seed: seed)
        let count = 10_000
        let order = Self.draw(count, using: &random)
        let names = (1...count).map { "device-" + String(1_000_000 + $0).dropFirst() }
        let devices = names.shuffled(using: &random)
        var members: [String] = []
        for (kind, what) in Self.kinds.enumerated() {
            let ofKind = zip(devices, order).filter { $0.1 == kind }.map(\.0)
            let parts = what.faults.count
            for (index, what) in what.faults.enumerated() {
                let part = ofKind.enumerated().filter { $0.offset % parts == index }.map(\.element)
                members.append(fault(what, for: part))
            }
        }
        try await TestDatabase.migrated { test in
            let stage = try Stage(
                test, devices: count, scenario: "{\"faults\": [\(members.joined(separator: ","))]}",
                requestsPerSecond: 10_000, inFlight: 100)
            let trial = try await Trial(stage, test)
            try await trial.setOrder(devices)
            let run = try await trial.refresh()
            #expect(run.code == .attention, "seed \(seed): \(run.errors)")
            try expect(run.summary, of: order, seed: seed)
            let rows = try await trial.rows()
            var wrong: [String] = []
            for (device, kind) in zip(devices, order) {
                guard let row = rows[device], Self.fits(row, Self.kinds[kind]) else {
                    wrong.append("\(device), \(Self.kinds[kind].name): \(String(describing: rows[device]))")
                    continue
                }
            }
            #expect(wrong.isEmpty, "seed \(seed): \(wrong.count) wrong, \(wrong.prefix(5))")
            let requests = try trial.requests()
            #expect(try stage.ledger().count <= count + count / 20, "seed \(seed)")
            #expect(requests.count == count && requests.values.allSatisfy { $0 == 1 }, "seed \(seed)")
        }
        print("the mixed run: seed \(seed)")
    }

    private static func fits(_ row: Trial.Row, _ kind: Kind) -> Bool {
        row.state == kind.state && row.reason == kind.reason && row.attempts == kind.attempts
            && row.failures == kind.failures && row.outcome == kind.outcome
            && row.hasReading == (kind.outcome == "replaced")
    }

    private func expect(_ summary: [String: Int], of order: [Int], seed: UInt64) throws {
        var expected: [String: Int] = [:]
        for name in RefreshCommandTests.summaryKeys { expected[name] = 0 }
        for kind in order { expected[Self.kinds[kind].outcome, default: 0] += 1 }
        expected["due"] = order.count
        expected["sent"] = order.count
        #expect(summary == expected, "seed \(seed)")
    }
}
