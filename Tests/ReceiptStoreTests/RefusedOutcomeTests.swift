import AppAttest
import Refresh
import Testing

@Suite("Outcomes that the database refuses")
struct RefusedOutcomeTests {
    @Test("one whose value is refused is told with its SQLSTATE and put off, longer each time; the rest goes in")
    func refused() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<4)
            var now = start + .days(1)
            for hours in [1, 2, 4] {
                let claimed = try #require(try await stores.due()[key(2)])
                // Its not before is its expiration time, which the reader would have refused.
                let stored = try await stores.answer(
                    [
                        receipt(1, created: now, metric: 1), receipt(2, created: now, metric: 1, lifetime: .days(1)),
                        receipt(3, created: now, metric: 1),
                    ], at: now)
                #expect(stored.map(\.word) == [.replaced, .failed, .replaced])
                #expect(stored.map(\.refusal) == [nil, "23514", nil])
                #expect(stored[1].dueTime == now + .hours(hours))
                let row = try #require(try await stores.due()[key(2)])
                #expect(row.schedule.dueTime == now + .hours(hours))
                #expect(row.schedule.failures == claimed.schedule.failures + 1)
                #expect(row.schedule.lastOutcome == .failed && row.schedule.lastOutcomeTime == now)
                #expect(row.receiptDigest == claimed.receiptDigest)
                now = now + .days(1)
            }
        }
    }

    @Test("a count that no longer fits is refused once and then begins anew")
    func overflow() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            try await stores.execute("UPDATE attestwatch.schedule SET failures = 2147483647")
            let now = start + .days(1)
            let stored = try await stores.keep(1, at: now) { row in
                row.failures += 1
                row.dueTime = now + .hours(1)
            }
            #expect(stored.refusal == "22003")
            #expect(try await stores.due()[key(1)]?.schedule.failures == 1001)
            #expect(stored.dueTime == now + .hours(24))
        }
    }

    @Test("a row that another has written meanwhile keeps what it wrote")
    func writtenMeanwhile() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            let now = start + .days(1)
            let claimed = try #require(try await stores.due()[key(1)])
            try await stores.goQuiet(1, at: now)
            let bad = Outcome(
                due: claimed, sentTime: nil, reply: nil,
                ending: .answered(receipt(1, created: now, metric: 1, lifetime: .days(1))),
                token: try await stores.tokens()(claimed))
            #expect(try await stores.refresh.store([bad], now: now).map(\.refusal) == ["23514"])
            let row = try #require(try await stores.due()[key(1)]?.schedule)
            #expect(row.state == .quiet && row.dueTime == now + .days(14))
        }
    }
}
