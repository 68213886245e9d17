import AppAttest
import Postgres
import ReceiptStore
import Refresh
import TestSupport
import Testing

@Suite("The survey of a fleet")
struct FleetSurveyTests {
    private func survey(
        _ stores: Stores, app: AppID? = nil, rate: Double = 10, at now: Instant
    ) async throws -> FleetSurvey {
        try await PostgresFleetSurvey(database: stores.test.database).survey(
            app: app, days: 30, budgets: [.production: rate, .development: rate], at: now)
    }

    @Test("keys that are alike are one group, however many; others are groups of their own")
    func groups() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(0..<500)
            try await stores.answer((0..<100).map { receipt($0, created: start + .days(1), metric: 1) })
            try await stores.answer((100..<110).map { receipt($0, created: start + .days(1), metric: 30) })
            try await stores.goQuiet(200, at: start + .days(1))
            let older = (600..<603).map { VerifiedIntake.attest($0, created: start + .minutes($0), device: "d") }
            _ = try await stores.intake.takeIn(older, now: start + .days(1))
            try await stores.keep(201, at: start + .days(1)) { row in
                row.state = .quarantined
                row.quarantineReason = .environment
            }
            let survey = try await survey(stores, at: start + .days(1))
            #expect(survey.states == [.active: 501, .quiet: 1, .quarantined: 1])
            #expect(survey.groups.reduce(0) { $0 + $1.count } == 502)
            func count(_ isAsked: (KeyGroup) -> Bool) -> Int {
                survey.groups.filter(isAsked).reduce(0) { $0 + $1.count }
            }
            #expect(count { $0.type == .receipt && $0.hasMetric && !$0.isFlagged } == 100)
            #expect(count { $0.isFlagged && $0.isReader && $0.opening == .days(1) && $0.lifetime == .days(90) } == 10)
            #expect(count { !$0.isReader && $0.type == .attest } == 2)
            #expect(count { $0.state == .quiet } == 1)
            #expect(survey.groups.count <= 9, "\(survey.groups)")
            for group in survey.groups {
                let attested = try #require(group.attested)
                #expect(attested.lowerBound >= start && attested.upperBound <= start + .minutes(603))
                #expect(group.due.lowerBound >= start && group.expiration.upperBound <= start + .days(91))
            }
        }
    }

    @Test("what is due is counted by rank, what is planned by hour, and what expires before its turn is seen")
    func queues() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(0..<100)
            let now = start + .days(2)
            try await stores.execute(
                """
                UPDATE attestwatch.schedule SET rank = 3, due_time = to_timestamp(\(now.seconds)) - interval '30 hours';
                -- The tenth in the queue has its turn after a second, the hundredth after ten.
                UPDATE attestwatch.schedule s SET due_time = s.due_time + o.place * interval '1 second',
                    expiration_time = CASE WHEN o.place > 90 THEN to_timestamp(\(now.seconds)) + interval '5 seconds'
                        ELSE s.expiration_time END
                FROM (SELECT key_id, row_number() OVER (ORDER BY key_id) AS place FROM attestwatch.schedule) AS o
                WHERE o.key_id = s.key_id;
                UPDATE attestwatch.schedule SET due_time = to_timestamp(\(now.seconds)) + interval '90 minutes'
                WHERE key_id IN (SELECT key_id FROM attestwatch.schedule ORDER BY key_id LIMIT 7)
                """)
            let queue = try #require(try await survey(stores, at: now).queues[.production])
            #expect(queue.backlog == [.routine: .init(due: 93, overdue: 93, lost: 10)])
            #expect(queue.allDue == 93 && queue.hours.count == 168)
            #expect(queue.hours[1] == 7 && queue.hours.reduce(0, +) == 7)
            let fast = try #require(try await survey(stores, rate: 100, at: now).queues[.production])
            #expect(fast.backlog[.routine]?.lost == 0)
            // What expires soon stands in a rank of its own and has its share at once.
            try await stores.execute(
                "UPDATE attestwatch.schedule SET rank = 0 WHERE expiration_time < to_timestamp(\(now.seconds + 60))")
            let ranked = try #require(try await survey(stores, at: now).queues[.production])
            #expect(ranked.backlog[.expiring] == .init(due: 10, overdue: 10, lost: 0))
            #expect(ranked.backlog[.routine]?.lost == 0)
            let others = try await survey(stores, app: otherApp, at: now)
            #expect(others.groups.isEmpty && others.states.isEmpty)
            #expect(others.queues[.production]?.allDue == 93)
            #expect(others.queues[.production]?.backlog[.routine]?.due == 0)
        }
    }

    @Test("ten thousand keys taken in at once do not come due at once: the busiest minute is under twice the mean")
    func spread() async throws {
        try await Stores.lend { stores in
            for first in stride(from: 0, to: 10_000, by: 500) {
                try await stores.takeIn(first..<first + 500)
            }
            let busiest = try await stores.number(
                """
                SELECT max(m.count) FROM (
                    SELECT count(*) FROM attestwatch.schedule GROUP BY date_trunc('minute', due_time)) AS m
                """)
            let minutes = try await stores.number(
                "SELECT count(DISTINCT date_trunc('minute', due_time)) FROM attestwatch.schedule")
            #expect((60...62).contains(minutes))
            #expect(busiest < 2 * 10_000 / 60, "\(busiest)")
        }
    }
}
