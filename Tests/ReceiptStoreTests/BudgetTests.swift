import AppAttest
import Postgres
import ReceiptStore
import Refresh
import TestSupport
import Testing

@Suite("A budget that workers share through the database")
struct BudgetTests {
    private let urls: [Environment: String] = [
        .production: "https://one.example/v1/attestationData", .development: "https://two.example/v1/attestationData",
    ]
    private let pace = Pace(requestsPerSecond: 100, inFlight: 100)

    private func store(_ stores: Stores) throws -> PostgresRefreshStore {
        PostgresRefreshStore(
            database: try stores.test.anew().database, rules: StoreRules(random: SeededGenerator(seed: 1)),
            dataServers: urls)
    }

    @Test("what many workers are granted side by side is one line of times, none of them twice")
    func sideBySide() async throws {
        try await Stores.lend { stores in
            let workers = try (0..<4).map { _ in try store(stores) }
            let (pace, request) = (pace, SliceRequest(pace: pace, wanted: 50))
            let before = try #require(try await stores.texts("SELECT clock_timestamp()::text").first)
            let slices = try await withThrowingTaskGroup(of: [PaceSlice].self) { group in
                for worker in workers {
                    group.addTask {
                        var slices: [PaceSlice] = []
                        for _ in 0..<5 { slices.append(try await worker.takeSlice(request, from: .production)) }
                        return slices
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(slices.map(\.count) == [Int](repeating: 50, count: 20))
            #expect(slices.allSatisfy { $0.spacing == .seconds(1) / pace.requestsPerSecond })
            // 1,000 times at 100 a second: the last is handed out to ten seconds after the first was.
            let text =
                "SELECT (extract(epoch FROM granted_until - '\(before)') * 1000)::bigint FROM attestwatch.data_server"
            #expect(try await stores.number(text) >= 10_000)
        }
    }

    @Test("a 429 that one worker meets with slows all of them, and its pause holds for the next run too")
    func slowDown() async throws {
        try await Stores.lend { stores in
            let (one, other) = (try store(stores), try store(stores))
            let request = SliceRequest(pace: pace, wanted: 50)
            _ = try await one.takeSlice(request, from: .production)
            let news = SliceRequest(pace: pace, wanted: 0, slowDown: SlowDown(age: .zero, pause: .minutes(2)))
            #expect(try await one.takeSlice(news, from: .production).count == 0)
            let slice = try await other.takeSlice(request, from: .production)
            #expect(slice.count == 0)
            #expect(slice.start > .seconds(60) && slice.start <= .minutes(2))
            let rates = try await stores.texts("SELECT round(rate::numeric)::text FROM attestwatch.data_server")
            #expect(rates == ["50"])
            // The other data server's is its own.
            #expect(try await other.takeSlice(request, from: .development).count == 50)
        }
    }

    @Test("a data server has answered once a receipt that verifies or a 304 was stored, a 404 does not show it")
    func answered() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<4)
            let refresh = try store(stores)
            _ = try await refresh.takeSlice(SliceRequest(pace: pace, wanted: 1), from: .production)
            let due = try await stores.due()
            let now = start + .days(1)
            for (number, word, answered) in [(1, OutcomeWord.quiet, false), (2, .failed, false), (3, .early, true)] {
                var row = try #require(due[key(number)]).schedule
                row.lastOutcome = word
                row.lastOutcomeTime = now
                let outcome = Outcome(
                    due: try #require(due[key(number)]), sentTime: now, reply: nil, ending: .kept(row))
                _ = try await refresh.store([outcome], now: now)
                #expect(try await refresh.answeredEnvironments() == (answered ? [.production] : []))
            }
        }
    }
}
