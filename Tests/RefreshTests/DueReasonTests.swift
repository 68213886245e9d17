import AppAttest
import Refresh
import TestSupport
import Testing

@Suite("Why a receipt is due when it is")
struct DueReasonTests {
    private static let noon = Samples.noon
    private static let planner = SchedulePlanner(cadence: .standard)

    /// A receipt made at noon with what the planner is told of it, and the reason that must be read from its draw.
    struct Draw: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var type = ReceiptType.receipt
        var notBefore: Duration? = .days(1)
        var expiration = Duration.days(90)
        var state = ReceiptState.active
        var flagged = false
        var newest = true
        var hasMetric = true
        var stored = Duration.zero
        var spread: Duration?
        let reason: DueReason
    }

    private static let draws: [Draw] = [
        Draw(testDescription: "a fresh key", type: .attest, notBefore: nil, stored: .minutes(5), reason: .firstReading),
        Draw(
            testDescription: "a fresh key of a back-fill", type: .attest, notBefore: nil, stored: .minutes(5),
            spread: .days(7), reason: .backFill),
        Draw(
            testDescription: "an old key of a back-fill, spread over little time", type: .attest, notBefore: nil,
            stored: .days(40), spread: .hours(1), reason: .firstReading),
        Draw(
            testDescription: "no metric, of a back-fill", hasMetric: false, stored: .days(20), spread: .days(7),
            reason: .backFill),
        Draw(testDescription: "stored late, of a back-fill", stored: .days(20), spread: .days(7), reason: .backFill),
        Draw(testDescription: "clear, of a shorter back-fill", spread: .days(2), reason: .clear),
        Draw(testDescription: "flagged, of a back-fill", flagged: true, spread: .days(7), reason: .flagged),
        Draw(
            testDescription: "an older key, of a back-fill", newest: false, spread: .days(7), reason: .background),
        Draw(
            testDescription: "in the last tenth, of a back-fill", stored: .days(85), spread: .days(7),
            reason: .lastTenth),
        Draw(testDescription: "no metric", hasMetric: false, reason: .metricMissing),
        Draw(testDescription: "no metric, stored late", hasMetric: false, stored: .days(20), reason: .metricMissing),
        Draw(testDescription: "clear", reason: .clear),
        Draw(testDescription: "flagged", flagged: true, reason: .flagged),
        Draw(testDescription: "an older key", newest: false, reason: .background),
        Draw(
            testDescription: "an older key, never sent", type: .attest, notBefore: nil, newest: false,
            reason: .background),
        Draw(testDescription: "stored late", stored: .days(20), reason: .late),
        Draw(
            testDescription: "a window that opens late", notBefore: .days(30), expiration: .days(61),
            reason: .windowOpens),
        Draw(testDescription: "a short window", expiration: .days(5), reason: .beforeLastTenth),
        Draw(testDescription: "in the last tenth", stored: .days(85), reason: .lastTenth),
        Draw(testDescription: "expired", stored: .days(95), reason: .lastTenth),
        Draw(testDescription: "404", state: .quiet, stored: .days(30), reason: .quiet),
        Draw(testDescription: "404, one try left", state: .quiet, stored: .days(70), reason: .quietLastTry),
        Draw(testDescription: "404, none left", state: .quiet, stored: .days(80), reason: .quietUntilExpiry),
    ]

    @Test("what the planner draws is told by the rule that it was drawn by", arguments: draws)
    func planned(draw: Draw) {
        let dates = ReceiptDates(
            type: draw.type, creationTime: Self.noon, notBefore: draw.notBefore.map { Self.noon + $0 },
            expirationTime: Self.noon + draw.expiration, attestedTime: nil, hasMetric: draw.hasMetric)
        let standing = Standing(state: draw.state, flagged: draw.flagged, newestKey: draw.newest)
        let stored = Self.noon + draw.stored
        var random = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            let plan =
                if let spread = draw.spread {
                    Self.planner.planSpread(dates, standing: standing, over: spread, now: stored, using: &random)
                } else {
                    Self.planner.plan(dates, standing: standing, now: stored, using: &random)
                }
            var row = ScheduleRow(shard: 0, rank: plan.rank, dueTime: plan.dueTime, state: draw.state)
            if draw.state == .quiet { (row.lastOutcome, row.lastOutcomeTime) = (.quiet, stored) }
            let reason = Self.planner.reason(
                for: row, receipt: dates, standing: standing, storedTime: stored, status: nil)
            #expect(reason == draw.reason)
        }
    }

    @Test("a draw that no present rule would make was made under another one")
    func drawnBefore() {
        let dates = ReceiptDates(
            type: .receipt, creationTime: Self.noon, notBefore: Self.noon + .days(1),
            expirationTime: Self.noon + .days(90), attestedTime: nil, hasMetric: true)
        let row = ScheduleRow(shard: 0, rank: .routine, dueTime: Self.noon + .days(6))
        for (flagged, expected) in [(false, DueReason.clear), (true, .drawnBefore)] {
            let reason = Self.planner.reason(
                for: row, receipt: dates, standing: Standing(state: .active, flagged: flagged, newestKey: true),
                storedTime: Self.noon, status: nil)
            #expect(reason == expected)
        }
    }

    @Test(
        "a row that was kept is told by how its last try ended",
        arguments: [
            (OutcomeWord.held, nil, 0, 2, Duration.days(1), DueReason.held),
            (.early, 304, 0, 3, .days(1), .early(inRow: 3)),
            (.failed, 429, 0, 4, .days(1), .tooManyRequests),
            (.failed, 503, 0, 5, .days(1), .failed(inRow: 5)),
            (.failed, nil, 0, 1, .days(1), .failed(inRow: 1)),
            (.failed, 400, 1, 0, .days(1), .charged(inRow: 1)),
            (.failed, 503, 0, 2, .days(91), .expired),
            (.quarantined, 400, 0, 0, .days(1), .released),
        ] as [(OutcomeWord, Int?, Int, Int, Duration, DueReason)])
    func kept(
        outcome: OutcomeWord, status: Int?, attempts: Int, failures: Int, tried: Duration, expected: DueReason
    ) {
        let dates = ReceiptDates(
            type: .receipt, creationTime: Self.noon, notBefore: Self.noon + .days(1),
            expirationTime: Self.noon + .days(90), attestedTime: nil, hasMetric: true)
        let row = ScheduleRow(
            shard: 0, rank: .routine, dueTime: Self.noon + tried + .hours(3), attempts: attempts, failures: failures,
            lastOutcome: outcome, lastOutcomeTime: Self.noon + tried)
        let reason = Self.planner.reason(
            for: row, receipt: dates, standing: Standing(state: .active, flagged: false, newestKey: true),
            storedTime: Self.noon, status: status)
        #expect(reason == expected)
    }

    @Test("what has ended or waits for a person is not due", arguments: [ReceiptState.quarantined, .dropped, .lost])
    func notDue(state: ReceiptState) {
        let row = ScheduleRow(shard: 0, rank: .routine, dueTime: Self.noon, state: state)
        let dates = ReceiptDates(
            type: .receipt, creationTime: Self.noon, notBefore: nil, expirationTime: Self.noon + .days(90),
            attestedTime: nil, hasMetric: true)
        let reason = Self.planner.reason(
            for: row, receipt: dates, standing: Standing(state: state, flagged: false, newestKey: true),
            storedTime: Self.noon, status: nil)
        #expect(reason == .notDue)
    }

    /// A row due at noon whose receipt expires so long after it, and what a run at noon does.
    struct Step: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var state = ReceiptState.active
        var due = Duration.zero
        var expires = Duration.days(10)
        var tried: Duration?
        var isConfigured = true
        let step: NextStep
    }

    private static let steps: [Step] = [
        Step(testDescription: "due", step: .send(.routine)),
        Step(testDescription: "due later", due: .hours(3), step: .waits(until: noon + .hours(3))),
        Step(testDescription: "of no app", isConfigured: false, step: .appNotConfigured),
        Step(
            testDescription: "due later, of no app", due: .hours(3), isConfigured: false,
            step: .waits(until: noon + .hours(3))),
        Step(testDescription: "quiet and due", state: .quiet, step: .send(.routine)),
        Step(testDescription: "quiet and expired", state: .quiet, expires: .zero, step: .ends(.retired)),
        Step(testDescription: "expired lately", expires: .days(-6), tried: .days(-1), step: .send(.routine)),
        Step(testDescription: "tried since for a week", expires: .days(-9), tried: .days(-7), step: .ends(.lost)),
        Step(
            testDescription: "expired weeks ago, first tried yesterday", expires: .days(-30), tried: .days(-1),
            step: .send(.routine)),
        Step(
            testDescription: "expired a week ago, never tried since", expires: .days(-7), tried: .days(-8),
            step: .send(.routine)),
        Step(testDescription: "quarantined", state: .quarantined, step: .nothing(.quarantined)),
        Step(testDescription: "dropped", state: .dropped, step: .nothing(.dropped)),
        Step(testDescription: "retired", state: .retired, step: .nothing(.retired)),
        Step(testDescription: "lost", state: .lost, step: .nothing(.lost)),
    ]

    @Test("what a run now would do", arguments: steps)
    func nextStep(step: Step) {
        let row = ScheduleRow(
            shard: 0, rank: .routine, dueTime: Self.noon + step.due, state: step.state,
            lastOutcome: step.tried == nil ? nil : .failed, lastOutcomeTime: step.tried.map { Self.noon + $0 })
        let found = NextStep(
            for: row, expirationTime: Self.noon + step.expires,
            expiredTryTime: step.tried.flatMap { $0 >= step.expires ? Self.noon + $0 : nil },
            isConfigured: step.isConfigured, now: Self.noon)
        #expect(found == step.step)
    }
}
