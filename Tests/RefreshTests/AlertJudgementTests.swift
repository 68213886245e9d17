import AppAttest
import Refresh
import Testing

@Suite("Which faults of the service are there at a run's end, and which are gone")
struct AlertJudgementTests {
    private static let now = Instant(seconds: 1_796_040_000)
    private static let lane = Lane(environment: .production, team: TeamID("TEAMID1234")!)
    private static let laneName = "TEAMID1234 (production)"

    /// What one run has seen, and what that says of one fault.
    struct Row: CustomTestStringConvertible, Sendable {
        /// What becomes of the fault.
        enum Verdict { case found, ended, left }

        let testDescription: String
        let kind: AlertKind
        let cause: String
        let verdict: Verdict
        /// How long ago it was last found, where it is open.
        var seen: Duration = .minutes(5)
        var bounds: @Sendable (inout RefreshOptions) -> Void = { _ in }
        var certificates: [CertificateEnd] = []
        var databaseSkew: Duration?
        var facts: @Sendable (inout AlertFacts) -> Void = { _ in }
        var run: @Sendable (inout RunResult) -> Void = { _ in }
    }

    private static let app = AppID("TEAMID1234.com.example")!
    private static let otherApp = AppID("TEAMID1234.com.example.other")!
    private static let keyName = "TEAMID1234 key KEYBBBBBBB (production)"

    private static func keyed(_ keyIDs: [String]) -> Lane {
        Lane(environment: .production, team: lane.team, keyIDs: keyIDs)
    }

    private static let lanes: [Row] = [
        Row(
            testDescription: "401 stops a lane", kind: .credentialRejected, cause: laneName, verdict: .found,
            run: { $0.stoppedLanes = [lane: .credentialRefused] }),
        Row(
            testDescription: "a lane that was good first and is refused now", kind: .credentialRejected,
            cause: laneName, verdict: .found,
            run: {
                $0.stoppedLanes = [lane: .credentialRefused]
                $0.acceptedLanes = [lane]
            }),
        Row(
            testDescription: "401 to the only receipt sent", kind: .credentialRejected, cause: laneName,
            verdict: .found, run: { $0.unprovenLanes = [lane: .credentialRefused] }),
        Row(
            testDescription: "400 to the only receipt sent", kind: .requestsRefused, cause: laneName,
            verdict: .found, run: { $0.unprovenLanes = [lane: .requestsRefused] }),
        Row(
            testDescription: "a lane is accepted", kind: .credentialRejected, cause: laneName, verdict: .ended,
            bounds: { $0.limit = 1 }, run: { $0.acceptedLanes = [lane] }),
        Row(
            testDescription: "a lane that nothing was sent through", kind: .credentialRejected, cause: laneName,
            verdict: .left),
        Row(
            testDescription: "another team's lane is accepted", kind: .credentialRejected, cause: laneName,
            verdict: .left,
            run: { $0.acceptedLanes = [Lane(environment: .production, team: TeamID("OTHERTEAM1")!)] }),
        Row(
            testDescription: "a lane that nobody has heard of for a month", kind: .credentialRejected, cause: laneName,
            verdict: .ended, seen: .days(30), run: { $0.exhausted = Set(Environment.allCases) }),
        Row(
            testDescription: "the same where each app has runs of its own", kind: .credentialRejected, cause: laneName,
            verdict: .ended, seen: .days(30), bounds: { $0.app = app }),
        Row(
            testDescription: "a key is refused where another is taken", kind: .credentialRejected, cause: keyName,
            verdict: .found,
            run: {
                $0.acceptedLanes = [keyed(["KEYBBBBBBB", "KEYAAAAAAA"])]
                $0.refusedKeys = [keyed(["KEYBBBBBBB", "KEYAAAAAAA"]): ["KEYBBBBBBB"]]
            }),
        Row(
            testDescription: "the key is taken", kind: .credentialRejected, cause: keyName, verdict: .ended,
            bounds: { $0.keyIDs = [app: ["KEYBBBBBBB"]] }, run: { $0.acceptedLanes = [keyed(["KEYBBBBBBB"])] }),
        Row(
            testDescription: "the key is no app's any more", kind: .credentialRejected, cause: keyName,
            verdict: .ended, bounds: { $0.keyIDs = [app: ["KEYAAAAAAA"]] },
            run: { $0.acceptedLanes = [keyed(["KEYAAAAAAA"])] }),
        Row(
            testDescription: "the key is that of another app, whose lane nothing was sent through",
            kind: .credentialRejected, cause: keyName, verdict: .left,
            bounds: { $0.keyIDs = [app: ["KEYAAAAAAA"], otherApp: ["KEYBBBBBBB"]] },
            run: { $0.acceptedLanes = [keyed(["KEYAAAAAAA"])] }),
        Row(
            testDescription: "another team's key is taken, and none of this one's", kind: .credentialRejected,
            cause: keyName, verdict: .left,
            run: { $0.acceptedLanes = [Lane(environment: .production, team: TeamID("OTHERTEAM1")!)] }),
        Row(
            testDescription: "400 stops a lane", kind: .requestsRefused, cause: laneName, verdict: .found,
            run: { $0.stoppedLanes = [lane: .requestsRefused] }),
        Row(
            testDescription: "400, incorrect environment, stops a lane", kind: .requestsRefused, cause: laneName,
            verdict: .found, run: { $0.stoppedLanes = [lane: .environmentRefused] }),
        Row(
            testDescription: "404 stops a lane", kind: .requestsRefused, cause: laneName, verdict: .found,
            run: { $0.stoppedLanes = [lane: .nothingFound] }),
        Row(
            testDescription: "its requests are accepted", kind: .requestsRefused, cause: laneName, verdict: .ended,
            run: { $0.acceptedLanes = [lane] }),
        Row(
            testDescription: "its credential is refused instead", kind: .requestsRefused, cause: laneName,
            verdict: .left, run: { $0.stoppedLanes = [lane: .credentialRefused] }),
    ]

    private static func waiting(late: Int) -> WaitingIntake {
        WaitingIntake(
            app: app, environment: nil, isConfigured: false, count: 2, late: late, oldest: now - .hours(2))
    }

    private static let rows: [Row] = [
        Row(
            testDescription: "receipts are quarantined", kind: .receiptsQuarantined, cause: "foreign_team",
            verdict: .found, facts: { $0.quarantined = [.foreignTeam: 3] }),
        Row(
            testDescription: "others are, for another reason", kind: .receiptsQuarantined, cause: "foreign_team",
            verdict: .ended, bounds: { $0.app = app }, facts: { $0.quarantined = [.badRequest: 3] }),
        Row(
            testDescription: "receipts are late", kind: .backlogLate, cause: "fleet", verdict: .found,
            facts: {
                $0.late = 2
                $0.oldestDue = now - .days(2)
            }),
        Row(
            testDescription: "none is late", kind: .backlogLate, cause: "fleet", verdict: .ended,
            bounds: { $0.limit = 1 }),
        Row(
            testDescription: "what was handed over waits for over an hour", kind: .intakeLate, cause: "fleet",
            verdict: .found, bounds: { $0.app = app }, run: { $0.waiting = [waiting(late: 1)] }),
        Row(
            testDescription: "it waits for less", kind: .intakeLate, cause: "fleet", verdict: .ended,
            bounds: { $0.app = app }, run: { $0.waiting = [waiting(late: 0)] }),
        Row(
            testDescription: "nobody has looked at what waits", kind: .intakeLate, cause: "fleet", verdict: .left),
        Row(
            testDescription: "receipts were lost lately, be it by a run that was cut off", kind: .receiptsLost,
            cause: "fleet", verdict: .found, bounds: { $0.app = app }, facts: { $0.lost = 1 }),
        Row(
            testDescription: "none was lost lately", kind: .receiptsLost, cause: "fleet", verdict: .ended,
            bounds: { $0.app = app }),
    ]

    private static let servers: [Row] = [
        Row(
            testDescription: "one answer is not believed", kind: .integrityFailed, cause: "production",
            verdict: .found,
            run: {
                $0.doubted = [.production: ["signature": 1]]
                $0.verified = [.production]
            }),
        Row(
            testDescription: "answers are not fresh against a Date that is days off", kind: .integrityFailed,
            cause: "production", verdict: .left,
            run: {
                $0.doubted = [.production: ["stale": 1]]
                $0.verified = [.production]
                $0.stoppedLanes = [lane: .clocksApart(.days(2))]
            }),
        Row(
            testDescription: "answers verify a day later", kind: .integrityFailed, cause: "production", verdict: .ended,
            seen: .hours(24),
            run: {
                $0.verified = [.production]
                $0.exhausted = Set(Environment.allCases)
            }),
        Row(
            testDescription: "answers verify, but did not within a day", kind: .integrityFailed, cause: "production",
            verdict: .left,
            run: {
                $0.verified = [.production]
                $0.exhausted = Set(Environment.allCases)
            }),
        Row(
            testDescription: "answers verify in a run that was cut short", kind: .integrityFailed, cause: "production",
            verdict: .left, seen: .hours(24), run: { $0.verified = [.production] }),
        Row(
            testDescription: "answers verify, while nothing may be sent to the other data server",
            kind: .integrityFailed, cause: "production", verdict: .ended, seen: .hours(24),
            run: {
                $0.verified = [.production]
                $0.exhausted = [.production]
            }),
        Row(
            testDescription: "answers of runs for one app each have verified for more than a week",
            kind: .integrityFailed, cause: "production", verdict: .ended, seen: .days(8), bounds: { $0.app = app },
            run: { $0.verified = [.production] }),
        Row(
            testDescription: "answers of one app verify", kind: .integrityFailed, cause: "production", verdict: .left,
            bounds: { $0.app = app }, run: { $0.verified = [.production] }),
        Row(
            testDescription: "the first answers of many verify", kind: .integrityFailed, cause: "production",
            verdict: .left, bounds: { $0.limit = 5 }, run: { $0.verified = [.production] }),
        Row(
            testDescription: "all verify, and there were fewer than the limit", kind: .integrityFailed,
            cause: "production", verdict: .ended, seen: .hours(24), bounds: { $0.limit = 5 },
            run: {
                $0.verified = [.production]
                $0.exhausted = Set(Environment.allCases)
            }),
        Row(
            testDescription: "answers of the other environment verify", kind: .integrityFailed, cause: "production",
            verdict: .left, run: { $0.verified = [.development] }),
        Row(
            testDescription: "a data server is failing", kind: .breakerOpen, cause: "production", verdict: .found,
            run: {
                $0.outages = [.production: "timeout"]
                $0.served = [.production]
            }),
        Row(
            testDescription: "it served none of a few requests", kind: .breakerOpen, cause: "production",
            verdict: .found,
            run: {
                $0.unavailable = [.production: "connection"]
                $0.asked = [.production: 3]
            }),
        Row(
            testDescription: "it did not serve the one receipt sent, beside many to the other", kind: .breakerOpen,
            cause: "production", verdict: .left,
            run: {
                $0.unavailable = [.production: "server_failure"]
                $0.asked = [.production: 1, .development: 1_000]
            }),
        Row(
            testDescription: "it serves", kind: .breakerOpen, cause: "production", verdict: .ended,
            run: { $0.served = [.production] }),
        Row(
            testDescription: "it was not asked", kind: .breakerOpen, cause: "production", verdict: .left,
            run: { $0.served = [.development] }),
        Row(
            testDescription: "a data server says nothing but 429", kind: .paceThrottled, cause: "production",
            verdict: .found,
            run: {
                $0.served = [.production]
                $0.throttled = [.production]
                $0.asked = [.production: 3]
            }),
        Row(
            testDescription: "it says so to one request, beside many to the other", kind: .paceThrottled,
            cause: "production", verdict: .left,
            run: {
                $0.served = [.production, .development]
                $0.throttled = [.production]
                $0.asked = [.production: 1, .development: 1_000]
            }),
        Row(
            testDescription: "it wants to be left alone", kind: .paceThrottled, cause: "production", verdict: .found,
            run: { $0.pauses = [.production: .minutes(20)] }),
        Row(
            testDescription: "it says something else", kind: .paceThrottled, cause: "production", verdict: .ended,
            run: { $0.served = [.production] }),
        Row(
            testDescription: "it was not asked for a pace", kind: .paceThrottled, cause: "production", verdict: .left,
            run: { $0.served = [.development] }),
    ]

    private static let clocks: [Row] = [
        Row(
            testDescription: "Date is over two minutes off", kind: .clockSkewed, cause: "production", verdict: .found,
            run: { $0.clockSkew = [.production: .seconds(-121)] }),
        Row(
            testDescription: "Date is two minutes off", kind: .clockSkewed, cause: "production", verdict: .ended,
            run: { $0.clockSkew = [.production: .seconds(120)] }),
        Row(
            testDescription: "no Date was seen", kind: .clockSkewed, cause: "production", verdict: .left,
            databaseSkew: .zero, run: { $0.clockSkew = [.development: .zero] }),
        Row(
            testDescription: "clocks apart stop a lane", kind: .clockSkewed, cause: "production", verdict: .found,
            run: { $0.stoppedLanes = [lane: .clocksApart(.days(2))] }),
        Row(
            testDescription: "the database's clock is off", kind: .clockSkewed, cause: "database", verdict: .found,
            databaseSkew: .seconds(-121)),
        Row(
            testDescription: "the database's clock is right", kind: .clockSkewed, cause: "database", verdict: .ended,
            databaseSkew: .seconds(1)),
        Row(
            testDescription: "the database's clock was not asked", kind: .clockSkewed, cause: "database",
            verdict: .left, run: { $0.clockSkew = [.production: .zero] }),
    ]

    private static func signer(_ time: Duration) -> CertificateEnd {
        CertificateEnd(role: .signer, name: "0a1b", time: now + time)
    }

    private static func anchor(_ time: Duration) -> CertificateEnd {
        CertificateEnd(role: .anchor, name: "CN=Root", time: now + time)
    }

    private static let certificates: [Row] = [
        Row(
            testDescription: "the signer ends in 14 days", kind: .signerExpiring, cause: "0a1b", verdict: .found,
            certificates: [signer(.days(14)), anchor(.days(31))], run: { $0.verified = [.production] }),
        Row(
            testDescription: "it ends later", kind: .signerExpiring, cause: "0a1b", verdict: .ended, seen: .days(1),
            certificates: [signer(.days(14) + .seconds(1))], run: { $0.verified = [.production] }),
        Row(
            testDescription: "another signs, within a day", kind: .signerExpiring, cause: "0a1b", verdict: .left,
            seen: .hours(23), run: { $0.verified = [.production] }),
        Row(
            testDescription: "no answer verified", kind: .signerExpiring, cause: "0a1b", verdict: .left,
            seen: .days(3)),
        Row(
            testDescription: "the anchor ends in 30 days", kind: .signerExpiring, cause: "anchor CN=Root",
            verdict: .found, certificates: [anchor(.days(30))]),
        Row(
            testDescription: "another anchor is in its place", kind: .signerExpiring, cause: "anchor CN=Root",
            verdict: .ended, certificates: [CertificateEnd(role: .anchor, name: "CN=New", time: now + .days(900))]),
    ]

    private static let all = lanes + rows + servers + clocks + certificates

    @Test("each fault is found, stays, ends or is not judged", arguments: all)
    func judges(row: Row) throws {
        var options = RefreshOptions(teams: [:])
        row.bounds(&options)
        var result = RunResult()
        row.run(&result)
        var facts = AlertFacts()
        row.facts(&facts)
        let findings = RunFindings(
            result: result, options: options, certificates: row.certificates, databaseSkew: row.databaseSkew)
        let name = AlertName(row.kind, row.cause)
        let fresh = AlertJudgement(of: findings, facts: facts, now: Self.now)
        #expect(fresh.found.map(\.name).contains(name) == (row.verdict == .found))
        #expect(fresh.ended.isEmpty, "nothing is open")

        facts.open = [
            OpenAlert(
                kind: row.kind.rawValue, cause: row.cause, message: "", hint: "", openedTime: Self.now - .days(60),
                seenTime: Self.now - row.seen),
            OpenAlert(
                kind: "not.known", cause: "fleet", message: "", hint: "", openedTime: Self.now - .days(60),
                seenTime: Self.now - .days(60)),
        ]
        let judgement = AlertJudgement(of: findings, facts: facts, now: Self.now)
        #expect(judgement.found == fresh.found)
        #expect(judgement.ended == (row.verdict == .ended ? [name] : []))
    }

    @Test("every kind of alert has its rows")
    func complete() {
        for kind in AlertKind.allCases {
            #expect(Self.all.contains { $0.kind == kind && $0.verdict == .found }, "\(kind)")
            #expect(Self.all.contains { $0.kind == kind && $0.verdict == .ended }, "\(kind)")
        }
    }

    @Test("a run in which all is well finds nothing, and one in which nothing is well names each fault once, in order")
    func order() throws {
        let options = RefreshOptions(teams: [:])
        let well = RunFindings(result: RunResult(), options: options, certificates: [], databaseSkew: .zero)
        #expect(AlertJudgement(of: well, facts: AlertFacts(), now: Self.now).found.isEmpty)
        var result = RunResult()
        result.clockSkew = [.production: .days(2)]
        result.doubted = [.production: ["chain": 1], .development: ["chain": 1]]
        var facts = AlertFacts()
        facts.lost = 4
        let findings = RunFindings(
            result: result, options: options, certificates: [Self.signer(.days(1)), Self.signer(.days(1))],
            databaseSkew: .days(1))
        #expect(
            AlertJudgement(of: findings, facts: facts, now: Self.now).found.map(\.name) == [
                AlertName(.clockSkewed, "database"), AlertName(.clockSkewed, "production"),
                AlertName(.integrityFailed, "development"), AlertName(.integrityFailed, "production"),
                AlertName(.receiptsLost, "fleet"), AlertName(.signerExpiring, "0a1b"),
            ])
    }
}
