import AppAttest
import Testing

@Suite("Another token")
struct TokenTests {
    @Test("an answer with another token goes in, and the change is told and dated; the same token again is none")
    func changes() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<3)
            let steps = [("token", false), ("other", true), ("other", false), ("token", true)]
            for (day, step) in steps.enumerated() {
                let stored = try await stores.answer([
                    receipt(1, created: start + .days(day + 1), metric: 1, token: step.0),
                    receipt(2, created: start + .days(day + 1), metric: 1),
                ])
                #expect(stored.map(\.word) == [.replaced, .replaced])
                #expect(stored.map(\.isTokenChanged) == [step.1, false])
            }
            let changed = try await stores.number(
                "SELECT extract(epoch FROM max(token_changed_time))::bigint FROM attestwatch.receipt")
            #expect(Int64(changed) == (start + .days(4)).microseconds / 1_000_000)
            #expect(
                try await stores.number("SELECT count(*) FROM attestwatch.receipt WHERE token_changed_time IS NULL")
                    == 1)
        }
    }

    @Test("a newer receipt from a back end dates the change too")
    func intakeDates() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            let newer = receipt(1, created: start + .days(1), metric: 1, token: "other")
            _ = try await stores.intake.takeIn([intake(newer)], now: start + .days(1))
            #expect(
                try await stores.number(
                    "SELECT count(*) FROM attestwatch.receipt WHERE token_changed_time = stored_time") == 1)
        }
    }
}
