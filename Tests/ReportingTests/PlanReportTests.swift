import AppAttest
import Foundation
import Refresh
import Reporting
import Testing

@Suite("What plan prints")
struct PlanReportTests {
    private static let now = Instant(seconds: 1_790_000_000)

    /// 3,000 quiet keys, all due now and again every two weeks: 9,000 calls in 30 days.
    private func plan(rate: Double = 2, lost: Int = 0, keys: Int = 3_000) throws -> FleetPlan {
        let app = try #require(AppID("A1B2C3D4E5.com.example"))
        let expiration = Self.now + .days(60)
        let group = KeyGroup(
            appID: app, environment: .production, state: .quiet, isReader: true, isFlagged: false, type: .receipt,
            hasMetric: true, count: keys, due: Self.now...Self.now, attested: nil, expiration: expiration...expiration,
            opening: .days(1), lifetime: .days(90))
        let backlog = QueueSurvey.Backlog(due: keys, overdue: 20, lost: lost)
        let survey = FleetSurvey(
            states: [.quiet: keys, .retired: 4], groups: [group],
            queues: [.production: QueueSurvey(backlog: [.routine: backlog], allDue: keys, hours: [0, 12])])
        var random = SystemRandomNumberGenerator()
        return FleetPlan(
            survey, cadences: [app: .standard], budgets: [.production: rate], now: Self.now, days: 30, using: &random)
    }

    private func report(_ plan: FleetPlan) -> PlanReport {
        PlanReport(plan, hosts: [.production: "data.example"], replacements: ["production https://x/"])
    }

    @Test("a page for people")
    func text() throws {
        let text = report(try plan()).text
        for line in [
            "quiet         3000", "retired          4", "production (data.example), the next 30 days:",
            "quiet             300  of keys that Apple had no data for",
            "needed            300  busiest day: 3000 from 2026-09-21T14:13:20Z",
            "budget         172800  at 2.0 a second", "routine         3000         20              0",
            "budget used:   0.2 %", "busiest hour:  12 from 2026-09-21T15:13:20Z", "to drain:      25 min\n",
            "the plan fits: no receipt is lost for want of pace\n", "not Apple's: production https://x/\n",
        ] {
            #expect(text.contains(line), "\(line) in\n\(text)")
        }
    }

    @Test("what does not fit is said with what to do")
    func faults() throws {
        #expect(
            report(try plan(lost: 3)).text.contains("does not fit: production: 3 receipts expire before their turn"))
        let text = report(try plan(rate: 1, keys: 3_000_000)).text
        #expect(text.contains("300000 calls a day are needed, and the pace allows 86400: raise requests_per_second"))
    }

    @Test("JSON in one line")
    func json() throws {
        let json = report(try plan(lost: 3)).json
        #expect(json.hasSuffix("}\n") && json.filter { $0 == "\n" }.count == 1)
        let read = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(read["calls_a_day"] as? Int == 300 && read["fits"] as? Bool == false && read["days"] as? Int == 30)
        #expect((read["keys"] as? [String: Int])?["quiet"] == 3_000)
        let server = try #require((read["data_servers"] as? [[String: Any]])?.first)
        #expect(server["budget_a_day"] as? Int == 172_800 && server["expire_unsent"] as? Int == 3)
        #expect((server["calls_a_day_by_kind"] as? [String: Int])?["quiet"] == 300)
        #expect(
            (server["due"] as? [String: [String: Int]])?["routine"] == ["due": 3000, "overdue": 20, "expire_unsent": 3])
    }
}
