import AppAttest
import Refresh
import TestSupport
import Testing

/// What a row must become. Times count from the answer.
private struct Expected: Sendable {
    var word: OutcomeWord
    var due: ClosedRange<Duration>?
    var state = ReceiptState.active
    var reason: QuarantineReason?
    var attempts = 0
    var failures = 0

    static func kept(
        _ word: OutcomeWord, _ due: ClosedRange<Duration>, state: ReceiptState = .active, attempts: Int = 0,
        failures: Int = 0
    ) -> Expected {
        Expected(word: word, due: due, state: state, attempts: attempts, failures: failures)
    }

    static func held(attempts: Int = 0, failures: Int = 0) -> Expected {
        kept(.held, .hours(1)...(.hours(6)), attempts: attempts, failures: failures)
    }

    static func quarantined(_ reason: QuarantineReason, attempts: Int = 1) -> Expected {
        Expected(word: .quarantined, state: .quarantined, reason: reason, attempts: attempts)
    }

    func check(_ row: ScheduleRow, now: Instant) {
        #expect(row.lastOutcome == word)
        #expect(row.lastOutcomeTime == now)
        #expect(row.state == state)
        #expect(row.quarantineReason == reason)
        #expect(row.attempts == attempts)
        #expect(row.failures == failures)
        if let due {
            #expect(due.contains(row.dueTime - now), "due after \(row.dueTime - now)")
        }
    }
}

private enum Then: Sendable {
    case merge
    case keep(Expected)
    case attribute(charged: Expected, otherwise: Expected)
    case again
}

/// One row of the table: an answer, what came before it, and what follows.
private struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let finding: Finding?
    var attempts = 0
    var failures = 0
    var lastTry: Duration?
    var last = OutcomeWord.failed
    var state = ReceiptState.active
    var now = Duration.zero
    var ahead: Duration? = .zero
    var resends = 0
    var hasOtherKey = false
    let then: Then
    /// Nil: what the finding by itself says of the lane.
    var lane: LaneEffect?

    init(
        _ description: String, _ finding: Finding?, attempts: Int = 0, failures: Int = 0, lastTry: Duration? = nil,
        last: OutcomeWord = .failed, state: ReceiptState = .active, now: Duration = .zero, ahead: Duration? = .zero,
        resends: Int = 0, hasOtherKey: Bool = false, then: Then, lane: LaneEffect? = nil
    ) {
        self.testDescription = description
        self.finding = finding
        self.attempts = attempts
        self.failures = failures
        self.lastTry = lastTry
        self.last = last
        self.state = state
        self.now = now
        self.ahead = ahead
        self.resends = resends
        self.hasOtherKey = hasOtherKey
        self.then = then
        self.lane = lane
    }
}

private func at(_ duration: Duration) -> ClosedRange<Duration> { duration...duration }

private func doubtful(_ kind: AnswerFault.Kind) -> Finding {
    .doubtful(AnswerFault(kind: kind, word: "word", detail: "detail"))
}

/// What a finding says of its lane, where nothing else does.
private func effect(of finding: Finding?) -> LaneEffect {
    switch finding {
    case nil, .verified: .proof(.everything)
    case .notModified, .noData: .proof(.service)
    case .doubtful: .doubt(.answersDoubted("word"), settledBy: .everything)
    case .incorrectEnvironment: .doubt(.environmentRefused, settledBy: .service)
    case .badRequest: .doubt(.requestsRefused, settledBy: .service)
    case .unauthorized: .doubt(.credentialRefused, settledBy: .service)
    case .tooManyRequests, .serverFailure, .unreachable, .refusedStream, .unexpected: .none
    }
}

/// The row of the table expires 83 days after its answer, and its not-before is 6 days before.
private let table: [Case] = [
    // 200
    Case("200, verified", nil, then: .merge),
    Case(
        "200, does not verify: an hour, if charged", doubtful(.notVerified),
        then: .attribute(charged: .kept(.failed, at(.hours(1)), attempts: 1), otherwise: .held())),
    Case(
        "200, does not verify for the 2nd time: two hours", doubtful(.notVerified), attempts: 1,
        then: .attribute(
            charged: .kept(.failed, at(.hours(2)), attempts: 2), otherwise: .held(attempts: 1))),
    Case(
        "200, does not verify for the 3rd time: quarantined", doubtful(.notVerified), attempts: 2,
        then: .attribute(charged: .quarantined(.notVerified, attempts: 3), otherwise: .held(attempts: 2))),
    Case(
        "200, not newer, for the 3rd time", doubtful(.notNewer), attempts: 2,
        then: .attribute(charged: .quarantined(.notNewer, attempts: 3), otherwise: .held(attempts: 2))),
    Case(
        "200, another key's, for the 3rd time", doubtful(.otherKey), attempts: 2,
        then: .attribute(charged: .quarantined(.otherKey, attempts: 3), otherwise: .held(attempts: 2))),

    // 304
    Case("304: an hour, not charged", .notModified, then: .keep(.kept(.early, at(.hours(1)), failures: 1))),
    Case(
        "304 for the 4th time: eight hours", .notModified, failures: 3, lastTry: .hours(-5), last: .early,
        then: .keep(.kept(.early, at(.hours(8)), failures: 4))),
    Case(
        "304 for ever: a day at most", .notModified, failures: 60, lastTry: .days(-1), last: .early,
        then: .keep(.kept(.early, at(.hours(24)), failures: 61))),
    Case(
        "304 after an outage: the first in a row", .notModified, failures: 3, lastTry: .hours(-1),
        then: .keep(.kept(.early, at(.hours(1)), failures: 1))),
    Case(
        "304 before our not-before: counted from there", .notModified, now: .days(-8),
        then: .keep(.kept(.early, at(.days(2) + .hours(1)), failures: 1))),
    Case(
        "304 after a charged failure: the row of failures is broken", .notModified, attempts: 1,
        then: .keep(.kept(.early, at(.hours(1)), failures: 1))),

    // 400
    Case(
        "400, incorrect environment: quarantined, if charged", .incorrectEnvironment,
        then: .attribute(charged: .quarantined(.environment), otherwise: .held())),
    Case(
        "400: a day, if charged", .badRequest,
        then: .attribute(charged: .kept(.failed, at(.days(1)), attempts: 1), otherwise: .held())),
    Case(
        "400 again a day later: quarantined", .badRequest, attempts: 1, lastTry: .days(-1),
        then: .attribute(charged: .quarantined(.badRequest, attempts: 2), otherwise: .held(attempts: 1))),
    Case(
        "400 again hours after it was held, a day after the first: quarantined", .badRequest, attempts: 1,
        lastTry: .hours(-2), last: .held,
        then: .attribute(charged: .quarantined(.badRequest, attempts: 2), otherwise: .held(attempts: 1))),
    Case(
        "400 again within the day: not yet", .badRequest, attempts: 1, lastTry: .hours(-23),
        then: .attribute(
            charged: .kept(.failed, at(.days(1)), attempts: 1), otherwise: .held(attempts: 1))),

    // 401, 403, 404
    Case(
        "401 and 403 with a signing key that is left to try: again, with that one", .unauthorized, hasOtherKey: true,
        then: .again, lane: LaneEffect.none),
    Case(
        "401 and 403: foreign team, if charged", .unauthorized,
        then: .attribute(charged: .quarantined(.foreignTeam), otherwise: .held())),
    Case(
        "404: quiet for 14 days, failures forgotten", .noData, attempts: 1, failures: 3,
        then: .keep(.kept(.quiet, at(.days(14)), state: .quiet))),
    Case(
        "404 again", .noData, state: .quiet, then: .keep(.kept(.quiet, at(.days(14)), state: .quiet))),
    Case(
        "404 near the end: not planned beyond it", .noData, now: .days(78),
        then: .keep(.kept(.quiet, at(.days(5)), state: .quiet))),

    // 429
    Case(
        "429: 10 to 60 minutes, not charged, not counted", .tooManyRequests(nil), attempts: 1, failures: 2,
        then: .keep(.kept(.failed, .minutes(10)...(.minutes(60)), attempts: 1, failures: 2)),
        lane: .slowDown(pause: .zero)),
    Case(
        "429, Retry-After: 120", .tooManyRequests(.delay(seconds: 120)),
        then: .keep(.kept(.failed, .minutes(10)...(.minutes(60)))), lane: .slowDown(pause: .seconds(120))),
    Case(
        "429, Retry-After: 0", .tooManyRequests(.delay(seconds: 0)),
        then: .keep(.kept(.failed, .minutes(10)...(.minutes(60)))), lane: .slowDown(pause: .zero)),
    Case(
        "429, Retry-After below zero", .tooManyRequests(.delay(seconds: .min)),
        then: .keep(.kept(.failed, .minutes(10)...(.minutes(60)))), lane: .slowDown(pause: .zero)),
    Case(
        "429, Retry-After beyond all reason: an hour", .tooManyRequests(.delay(seconds: .max)),
        then: .keep(.kept(.failed, .minutes(10)...(.minutes(60)))), lane: .slowDown(pause: .hours(1))),
    Case(
        "429, Retry-After as a date counts from the reply's Date",
        .tooManyRequests(.date(Samples.noon + .minutes(12))), ahead: .minutes(10),
        then: .keep(.kept(.failed, .minutes(10)...(.minutes(60)))), lane: .slowDown(pause: .minutes(2))),
    Case(
        "429, Retry-After as a date, no Date: counts from our clock",
        .tooManyRequests(.date(Samples.noon + .minutes(12))), ahead: nil,
        then: .keep(.kept(.failed, .minutes(10)...(.minutes(60)))), lane: .slowDown(pause: .minutes(12))),
    Case(
        "429, Retry-After in ten days: an hour", .tooManyRequests(.date(Samples.noon + .days(10))),
        then: .keep(.kept(.failed, .minutes(10)...(.minutes(60)))), lane: .slowDown(pause: .hours(1))),
    Case(
        "429, Retry-After in the past", .tooManyRequests(.date(Samples.noon - .days(10))),
        then: .keep(.kept(.failed, .minutes(10)...(.minutes(60)))), lane: .slowDown(pause: .zero)),

    // No answer, or none of use
    Case(
        "5xx: up to a minute", .serverFailure,
        then: .keep(.kept(.failed, .seconds(1)...(.minutes(1)), failures: 1))),
    Case(
        "5xx for the 4th time: up to eight minutes", .serverFailure, attempts: 1, failures: 3,
        then: .keep(.kept(.failed, .seconds(1)...(.minutes(8)), attempts: 1, failures: 4))),
    Case(
        "5xx for ever: up to six hours", .serverFailure, failures: 60,
        then: .keep(.kept(.failed, .seconds(1)...(.hours(6)), failures: 61))),
    Case("refused stream: again", .refusedStream, then: .again),
    Case("refused stream for the 3rd time: again", .refusedStream, resends: 2, then: .again),
    Case(
        "refused stream for the 4th time: an outage", .refusedStream, resends: 3,
        then: .keep(.kept(.failed, .seconds(1)...(.minutes(1)), failures: 1))),
    Case(
        "a redirect: an hour", .unexpected(.status(302)),
        then: .keep(.kept(.failed, at(.hours(1)), failures: 1))),
    Case(
        "over 64 KiB for the 2nd time: two hours", .unexpected(.tooLarge), failures: 1,
        then: .keep(.kept(.failed, at(.hours(2)), failures: 2))),
    Case(
        "not base64, for ever: a day", .unexpected(.notBase64), failures: 60,
        then: .keep(.kept(.failed, at(.hours(24)), failures: 61))),

    // Ends and clocks
    Case(
        "expired with data expected: one try a day", .serverFailure, now: .days(84),
        then: .keep(.kept(.failed, at(.days(1)), failures: 1))),
    Case(
        "304 after expiry: one try a day", .notModified, now: .days(84),
        then: .keep(.kept(.early, at(.days(1)), failures: 1))),
    Case(
        "expired and held: one try a day", .badRequest, now: .days(84),
        then: .attribute(
            charged: .kept(.failed, at(.days(1)), attempts: 1), otherwise: .kept(.held, at(.days(1))))),
    Case(
        "Date over a day ahead: held unmerged, the lane stops", nil, ahead: .hours(25),
        then: .keep(.held()), lane: .stop(.clocksApart(.hours(25)))),
    Case(
        "Date over a day behind", .unauthorized, ahead: .hours(-25),
        then: .keep(.held()), lane: .stop(.clocksApart(.hours(-25)))),
    Case("Date a day ahead: judged", nil, ahead: .hours(24), then: .merge),
]

/// The rows of the table for which no whole answer came.
private let unreachable = TransportFailure.allCases.map { failure in
    Case(
        "no answer, \(failure.rawValue): up to a minute", .unreachable(failure),
        then: .keep(.kept(.failed, .seconds(1)...(.minutes(1)), failures: 1)))
}

@Suite("What we do about each reply")
struct ReplyPolicyTests {
    private static let policy = ReplyPolicy(cadence: .standard)

    @Test("The reply table", arguments: table + unreachable)
    fileprivate func replyTable(row: Case) throws {
        let now = Samples.noon + row.now
        let due = try Samples.due(
            schedule: ScheduleRow(
                shard: 7, rank: .routine, dueTime: now, state: row.state, attempts: row.attempts,
                failures: row.failures, lastOutcome: row.lastTry.map { _ in row.last },
                lastOutcomeTime: row.lastTry.map { now + $0 }))
        let answer = try Samples.answer(to: due)
        var random = SeededGenerator(seed: 5)
        for _ in 0..<100 {
            let decision = Self.policy.decide(
                row.finding ?? .verified(answer), for: due, serverDate: row.ahead.map { now + $0 },
                resends: row.resends, hasOtherKey: row.hasOtherKey, now: now, using: &random)
            #expect(decision.lane == row.lane ?? effect(of: row.finding))
            switch (decision.disposition, row.then) {
            case (.merge(let merged), .merge): #expect(merged == answer)
            case (.keep(let kept), .keep(let expected)): expected.check(kept, now: now)
            case (.attribute(let charged, let otherwise), .attribute(let expected, let expectedOtherwise)):
                expected.check(charged, now: now)
                expectedOtherwise.check(otherwise, now: now)
            case (.sendAgain, .again): break
            case (let found, let expected): Issue.record("expected \(expected), found \(found)")
            }
        }
    }

    @Test("A row whose next try comes within three days of its expiry goes to the first queue, and keeps its shard")
    func expiringRank() throws {
        let due = try Samples.due(schedule: ScheduleRow(shard: 7, rank: .routine, dueTime: Samples.noon))
        var random = SeededGenerator(seed: 6)
        for (day, rank) in [(70, Rank.routine), (81, .expiring)] {
            let decision = Self.policy.decide(
                .unexpected(.tooLarge), for: due, serverDate: nil, resends: 0, hasOtherKey: false,
                now: Samples.noon + .days(day), using: &random)
            guard case .keep(let row) = decision.disposition else {
                Issue.record("expected keep, found \(decision)")
                continue
            }
            #expect(row.rank == rank)
            #expect(row.shard == 7)
        }
    }

    @Test("Waits of an outage are drawn over the whole of their range")
    func fullJitter() throws {
        let due = try Samples.due(schedule: ScheduleRow(shard: 0, rank: .routine, dueTime: Samples.noon, failures: 3))
        var random = SeededGenerator(seed: 7)
        let waits = (0..<1_000).compactMap { _ -> Duration? in
            let decision = Self.policy.decide(
                .serverFailure, for: due, serverDate: nil, resends: 0, hasOtherKey: false, now: Samples.noon,
                using: &random)
            guard case .keep(let row) = decision.disposition else { return nil }
            return row.dueTime - Samples.noon
        }
        #expect(waits.count == 1_000)
        #expect(try #require(waits.min()) < .seconds(10))
        #expect(try #require(waits.max()) > .seconds(470))
    }

    @Test(
        "Every reply becomes the finding of its name; only a receipt is verified",
        arguments: [
            (Reply.notModified, Finding.notModified), (.incorrectEnvironment, .incorrectEnvironment),
            (.badRequest, .badRequest), (.unauthorized, .unauthorized), (.noData, .noData),
            (.tooManyRequests(.delay(seconds: 3)), .tooManyRequests(.delay(seconds: 3))),
            (.serverFailure, .serverFailure), (.unreachable(.tls), .unreachable(.tls)),
            (.refusedStream, .refusedStream), (.unexpected(.status(204)), .unexpected(.status(204))),
        ] as [(Reply, Finding)])
    func findings(reply: Reply, finding: Finding) {
        let found = Finding(reply) { _ throws(AnswerFault) in
            Issue.record("verified what is no receipt")
            throw Samples.fault
        }
        #expect(found == finding)
    }

    @Test("A receipt is what its verification says")
    func judgedReceipts() throws {
        let answer = try Samples.answer(to: Samples.due())
        #expect(Finding(.receipt(answer.bytes)) { _ throws(AnswerFault) in answer } == .verified(answer))
        #expect(
            Finding(.receipt(answer.bytes)) { _ throws(AnswerFault) in throw Samples.fault } == .doubtful(Samples.fault)
        )
    }
}
