import AppAttest
import AttestwatchCommand
import Refresh
import Testing

@Suite("Notices about a run")
struct RunNoticeTests {
    @Test(
        "clocks: told of from more than 2 s on, somebody's work from more than 2 min on",
        arguments: [
            (.zero, nil, nil), (.seconds(2), nil, nil), (.seconds(-2), nil, nil),
            (.milliseconds(2_500), .warning, "2.5 s behind"), (.milliseconds(-2_500), .warning, "2.5 s ahead of"),
            (.seconds(3), .warning, "3 s behind"), (.seconds(120), .warning, "2 min behind"),
            (.seconds(121), .error, "2 min 1 s behind"), (.seconds(-121), .error, "2 min 1 s ahead of"),
            (.hours(25), .error, "1 d 1 h behind"),
        ] as [(Duration, RunNotice.Weight?, String?)])
    func clocks(skew: Duration, weight: RunNotice.Weight?, words: String?) {
        var result = RunResult()
        result.clockSkew = [.production: skew]
        #expect(result.clockNotices.map(\.weight) == [weight].compactMap(\.self))
        #expect(result.hasConcern == (weight == .error))
        guard let words else { return }
        #expect(
            result.clockNotices.first?.message
                == "this machine's clock is \(words) that of the data server for production, expected at most 2 s")
    }

    @Test("a lane that the clocks stopped is told of by its own error alone")
    func stoppedLane() throws {
        var result = RunResult()
        result.clockSkew = [.production: .days(2)]
        let team = try #require(TeamID("TEAMID1234"))
        result.stoppedLanes = [Lane(environment: .production, team: team): .clocksApart(.days(2))]
        #expect(result.clockNotices.isEmpty)
    }

    @Test("one notice a kind, with the words of the failed steps in order")
    func kinds() throws {
        var result = RunResult()
        #expect(result.concernNotices.isEmpty && !result.hasConcern)
        result.concerns.notVerified = ["signature": 40, "chain": 2]
        result.concerns.misplaced = ["key": 1]
        result.concerns.earlyAgain = 3
        let notices = result.concernNotices
        #expect(
            notices.map(\.message) == [
                "expected answers that verify, found 42 that do not (chain 2, signature 40)",
                "expected newer receipts of the same keys, found 1 others (key 1)",
                "3 receipts were answered with 304, too early, 3 times in a row or more",
            ])
        #expect(notices.allSatisfy { $0.weight == .warning && !$0.hint.isEmpty })
        #expect(result.hasConcern)
    }
}
