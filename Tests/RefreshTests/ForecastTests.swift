import AppAttest
import Refresh
import TestSupport
import Testing

@Suite("The forecast of calls")
struct ForecastTests {
    private static let now = Samples.noon

    /// A hundred keys that are alike, and how many calls each makes in 30 days.
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var state = ReceiptState.active
        var isReader = true
        var isFlagged = false
        var type = ReceiptType.receipt
        var hasMetric = true
        var due = Duration.zero...Duration.hours(1)
        var attested: Duration? = .zero
        var expires = Duration.days(90)
        let calls: [CallKind: ClosedRange<Double>]
    }

    private static let rows: [Row] = [
        Row(
            testDescription: "fresh keys: a first reading, then every 6.3 days on average, until data ends",
            type: .attest, hasMetric: false, calls: [.firstReading: 1...1, .clear: 4...5]),
        Row(
            testDescription: "fresh keys of which the first receipt had no metric", hasMetric: false,
            calls: [.firstReading: 1...1, .clear: 4...5]),
        Row(
            testDescription: "flagged ones: as soon as the window opens", isFlagged: true,
            calls: [.flagged: 28...30]),
        Row(
            testDescription: "older keys of devices: every 14 days at most", isReader: false, type: .attest,
            hasMetric: false, due: .days(11)...(.days(14)), calls: [.background: 2...2]),
        Row(
            testDescription: "clear ones whose data ends on day 5: one more, one 404, and one when quiet",
            due: .days(3)...(.days(3)), attested: .days(-25), calls: [.clear: 2...2, .quiet: 1...1]),
        Row(
            testDescription: "attested nobody knows when, read on day -2: data for 13 days more",
            due: .days(4)...(.days(4)), attested: nil, expires: .days(88), calls: [.clear: 3...3, .quiet: 0...1]),
        Row(
            testDescription: "quiet ones: every 14 days", state: .quiet, due: .days(3)...(.days(3)),
            attested: .days(-40), expires: .days(60), calls: [.quiet: 2...2]),
        Row(
            testDescription: "quiet ones that expire soon: once more", state: .quiet, due: .days(3)...(.days(3)),
            attested: .days(-70), expires: .days(10), calls: [.quiet: 1...1]),
        Row(
            testDescription: "quiet ones that expire before they are due: never", state: .quiet,
            due: .days(10)...(.days(10)), attested: .days(-70), expires: .days(10), calls: [:]),
        Row(
            testDescription: "back-fill: a first reading that finds nothing, then quiet", isReader: false,
            type: .attest, hasMetric: false, attested: .days(-50), expires: .days(40),
            calls: [.background: 1...1, .quiet: 2...2]),
        Row(
            testDescription: "due long ago: now", due: .days(-9)...(.days(-8)), attested: .days(-1),
            calls: [.clear: 5...6]),
        Row(
            testDescription: "due after the horizon: none", due: .days(31)...(.days(32)), calls: [:]),
    ]

    private func group(_ row: Row, count: Int = 100, app: AppID) -> KeyGroup {
        let expiration = Self.now + row.expires
        return KeyGroup(
            appID: app, environment: .production, state: row.state, isReader: row.isReader, isFlagged: row.isFlagged,
            type: row.type, hasMetric: row.hasMetric, count: count,
            due: (Self.now + row.due.lowerBound)...(Self.now + row.due.upperBound),
            attested: row.attested.map { (Self.now + $0)...(Self.now + $0) }, expiration: expiration...expiration,
            opening: row.type == .attest ? .zero : .days(1), lifetime: .days(90))
    }

    private func forecast(_ groups: [KeyGroup], days: Int = 30) throws -> Forecast {
        var random = SeededGenerator(seed: 11)
        return Forecast(
            of: groups, cadences: [try Samples.app(): .standard], now: Self.now, days: days, hours: FleetPlan.hours,
            using: &random)
    }

    @Test("calls of one key in 30 days", arguments: rows)
    func table(row: Row) throws {
        let forecast = try forecast([group(row, app: try Samples.app())])
        for kind in CallKind.allCases {
            let calls = (forecast.calls[kind] ?? 0) / 100
            #expect((row.calls[kind] ?? 0...0).contains(calls), "\(kind): \(calls)")
        }
        #expect(abs(forecast.days.reduce(0, +) - forecast.calls.values.reduce(0, +)) < 1e-6)
    }

    @Test("a group of a million weighs as much as its keys do one by one, and few of them are walked")
    func weights() throws {
        let app = try Samples.app()
        let few = try forecast([group(Self.rows[0], count: 2_000, app: app)]).callsADay / 2_000
        let many = try forecast([group(Self.rows[0], count: 1_000_000, app: app)]).callsADay / 1_000_000
        #expect(abs(few / many - 1) < 0.02)
    }

    @Test("the keys of an app that is not configured make no calls")
    func notConfigured() throws {
        let other = try Samples.app(ofTeam: Samples.otherTeam)
        #expect(try forecast([group(Self.rows[0], app: other)]).callsADay == 0)
    }

    @Test("keys not read yet turn out flagged as often as those that were")
    func flaggedShare() throws {
        let app = try Samples.app()
        let flagged = group(Self.rows[2], count: 100, app: app)
        let clear = group(Self.rows[11], count: 300, app: app)
        let fresh = group(Self.rows[0], count: 4_000, app: app)
        let alone = try forecast([flagged, clear])
        let all = try forecast([flagged, clear, fresh])
        let more = ((all.calls[.flagged] ?? 0) - (alone.calls[.flagged] ?? 0)) / 4_000
        // A quarter of them, 28 calls each.
        #expect((6...8).contains(more), "\(more)")
    }

    @Test(
        "a plan fits while the budget is enough and nothing expires before its turn",
        arguments: [
            (1_000, 1.0, 0, true), (1_000, 1.0, 1, false), (600_000, 1.0, 0, false), (600_000, 2.0, 0, true),
        ])
    func fits(keys: Int, rate: Double, lost: Int, fits: Bool) throws {
        let app = try Samples.app()
        let backlog = QueueSurvey.Backlog(due: 90, overdue: 5, lost: lost)
        let survey = FleetSurvey(
            states: [.active: keys], groups: [group(Self.rows[0], count: keys, app: app)],
            queues: [.production: QueueSurvey(backlog: [.routine: backlog], allDue: 90, hours: [7, 8, 9])])
        var random = SeededGenerator(seed: 12)
        let plan = FleetPlan(
            survey, cadences: [app: .standard], budgets: [.production: rate, .development: 1], now: Self.now, days: 30,
            using: &random)
        #expect(plan.fits == fits)
        let server = try #require(plan.servers.first)
        #expect(plan.servers.count == 1 && server.environment == .production)
        #expect(server.budgetADay == rate * 86_400 && server.drainTime == .seconds(90 / rate))
        #expect(server.isWithinBudget == (server.callsADay <= rate * 86_400) && server.lost == lost)
        // All first readings are due at once, on the first day.
        #expect(server.busiestDay.start == Self.now && server.busiestDay.calls == Double(keys))
        #expect(server.busiestHour.start > Self.now + .days(5))
    }
}
