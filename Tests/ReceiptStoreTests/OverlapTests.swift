import AppAttest
import Postgres
import ReceiptStore
import Refresh
import Testing

@Suite("Two runs at once")
struct OverlapTests {
    /// A second run on the same database.
    private func second(_ stores: Stores) throws -> PostgresRefreshStore {
        PostgresRefreshStore(
            database: try Database(stores.test.conninfo), rules: StoreRules(random: SplitMix(state: 2)))
    }

    /// What a 503 leaves of a row.
    private func failed(_ row: DueReceipt, at now: Instant, by token: LeaseToken?) -> Outcome {
        var schedule = row.schedule
        schedule.dueTime = now + .minutes(1)
        schedule.failures += 1
        schedule.lastOutcome = .failed
        schedule.lastOutcomeTime = now
        return Outcome(due: row, sentTime: nil, reply: nil, ending: .kept(schedule), token: token)
    }

    @Test("a row that one run has written is not written over by another that claimed it before")
    func kept() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            let other = try second(stores)
            let now = start + .days(1)
            let claimed = try #require(
                try await other.dueReceipts(
                    now: now, limit: 1, app: nil, environment: .production, shards: allShards
                ).first)
            try await stores.goQuiet(1, at: now)
            let token = try await stores.tokens()(claimed)
            let stored = try await other.store([failed(claimed, at: now, by: token)], now: now)
            let row = try #require(try await stores.due()[key(1)]?.schedule)
            #expect(row.state == .quiet && row.failures == 0)
            #expect(row.dueTime == now + .days(14))
            #expect(stored.map(\.dueTime) == [row.dueTime])
        }
    }

    @Test("a try that failed again is not undone by one claimed before it, though the state is the same")
    func sameState() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            let other = try second(stores)
            let now = start + .days(1)
            let claimed = try #require(
                try await other.dueReceipts(
                    now: now, limit: 1, app: nil, environment: .production, shards: allShards
                ).first)
            try await stores.keep(1, at: now) { row in
                row.dueTime = now + .hours(6)
                row.failures = 3
            }
            let token = try await stores.tokens()(claimed)
            _ = try await other.store([failed(claimed, at: now, by: token)], now: now)
            let row = try #require(try await stores.due()[key(1)]?.schedule)
            #expect(row.failures == 3 && row.dueTime == now + .hours(6))
        }
    }

    @Test("a row that has ended meanwhile stays ended, but a newer receipt brings it back")
    func ended() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            let other = try second(stores)
            try await stores.keep(1, at: start + .days(90)) { _ in }
            let now = start + .days(97)
            let claimed = try #require(
                try await other.dueReceipts(
                    now: now, limit: 1, app: nil, environment: .production, shards: allShards
                ).first)
            #expect(try await stores.refresh.endExpired(now: now, app: nil).lost == 1)
            let token = try await stores.tokens()(claimed)
            _ = try await other.store([failed(claimed, at: now, by: token)], now: now)
            #expect(try await stores.texts("SELECT state FROM attestwatch.schedule") == ["lost"])
            let answer = Outcome(
                due: claimed, sentTime: nil, reply: nil, ending: .answered(receipt(1, created: now, metric: 1)))
            #expect(try await other.store([answer], now: now).map(\.word) == [.replaced])
            #expect(try await stores.texts("SELECT state FROM attestwatch.schedule") == ["active"])
        }
    }
}
