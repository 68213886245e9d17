import AppAttest
import Postgres
import ReceiptStore
import Refresh
import System
import TestSupport
import Testing

@Suite("The history of runs")
struct RunHistoryTests {
    /// A clock that is off by so much.
    private struct OffClock: WallClock {
        let offset: Duration

        func now() -> Instant { SystemClock().now() + offset }
    }

    @Test("it names the latest run and the last that ended, and knows whether an earlier one is on record")
    func runs() async throws {
        try await Stores.lend { stores in
            let history = PostgresRunHistory(database: stores.test.database)
            let clock = OffClock(offset: .zero)
            let empty = try await history.read(expecting: nil, clock: clock)
            #expect(empty.latest == nil && empty.lastEnded == nil && empty.hasExpected)
            let first = try await stores.refresh.beginRun(now: start)
            try await stores.refresh.finishRun(first, summary: RunSummary(), now: start + .minutes(1))
            let second = try await stores.refresh.beginRun(now: start + .minutes(5))
            let ended = RecordedRun(number: Int(first), startTime: start)
            let read = try await history.read(expecting: ended, clock: clock)
            #expect(read.latest == RecordedRun(number: Int(second), startTime: start + .minutes(5)))
            #expect(read.lastEnded == ended && read.hasExpected)
            #expect(read.birth == empty.birth)
            // The same number, given anew after a backup was restored.
            let other = RecordedRun(number: Int(second), startTime: start + .minutes(6))
            #expect(try await history.read(expecting: other, clock: clock).hasExpected == false)
        }
    }

    @Test("the database's clock is held against the machine's", arguments: [0, 90, -90] as [Int64])
    func clocks(offset: Int64) async throws {
        try await Stores.lend { stores in
            let history = PostgresRunHistory(database: stores.test.database)
            let skew = try await history.read(expecting: nil, clock: OffClock(offset: .seconds(offset))).clockSkew
            // What the question takes counts as no difference, so only the side is sure.
            #expect(offset == 0 ? skew == .zero : (offset > 0 ? skew < .zero : skew > .zero))
            #expect(skew.magnitude <= .seconds(90))
        }
    }

    @Test("what has come together: due, expiring soon, and expired since, where data is expected")
    func backlog() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<7)
            try await stores.goQuiet(6, at: start)
            let history = PostgresRunHistory(database: stores.test.database)
            #expect(try await history.backlog(at: start - .days(1), since: start - .days(2)) == [:])
            #expect(
                try await history.backlog(at: start + .days(2), since: start)
                    == [.production: Backlog(due: 5, expiringSoon: 0, expired: 0)])
            #expect(
                try await history.backlog(at: start + .days(88), since: start)
                    == [.production: Backlog(due: 6, expiringSoon: 5, expired: 0)])
            #expect(
                try await history.backlog(at: start + .days(91), since: start + .days(80))
                    == [.production: Backlog(due: 6, expiringSoon: 0, expired: 5)])
            #expect(
                try await history.backlog(at: start + .days(95), since: start + .days(91))
                    == [.production: Backlog(due: 6, expiringSoon: 0, expired: 0)])
        }
    }
}
