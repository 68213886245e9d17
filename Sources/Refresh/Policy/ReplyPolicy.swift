import AppAttest

/// What we do about each answer of the data server. Pure: the one place where a reply becomes a decision.
package struct ReplyPolicy: Hashable, Sendable {
    /// How often a refused stream is sent again within a run.
    package static let longestResending = 3
    /// `Retry-After` is obeyed up to this.
    package static let longestPause: Duration = .hours(1)
    /// Beyond this difference between the server's `Date` and our clock no answer can be judged.
    package static let clockTolerance: Duration = .hours(24)

    /// For about 30 days Apple knows of an attestation: of one so young, a 404 is not to be expected.
    package static let surelyKnown: Duration = .days(25)

    /// The cadence of the receipt's app.
    package let cadence: Cadence

    /// Whether the data server has ever given a receipt that verifies, or a 304.
    package let serverHasAnswered: Bool

    /// The policy for the apps with this cadence, at a data server that is known to be one unless it is said otherwise.
    package init(cadence: Cadence, serverHasAnswered: Bool = true) {
        self.cadence = cadence
        self.serverHasAnswered = serverHasAnswered
    }

    /// Decides on one finding.
    ///
    /// - Parameters:
    ///   - due: the row as it was claimed.
    ///   - serverDate: the reply's `Date`.
    ///   - resends: how often this row was sent again in this run already.
    ///   - hasOtherKey: whether a signing key is left that may be tried for it.
    package func decide(
        _ finding: Finding, for due: DueReceipt, serverDate: Instant?, resends: Int, hasOtherKey: Bool,
        now: Instant, using random: inout some RandomNumberGenerator
    ) -> Decision {
        let row = KeptRow(due: due, now: now)
        if let ahead = serverDate.map({ $0 - now }), max(ahead, .zero - ahead) > Self.clockTolerance {
            return Decision(.keep(row.held(using: &random)), lane: .stop(.clocksApart(ahead)))
        }
        let (failures, attempts) = (due.schedule.failures, due.schedule.attempts)
        switch finding {
        case .verified(let receipt):
            return Decision(.merge(receipt), lane: .proof(.everything))
        case .doubtful(let fault):
            let wait = Backoff.answered.wait(after: attempts)
            let charged = row.charged(fault.kind.quarantineReason, limit: 3, wait: wait)
            return attribute(charged, row, .answersDoubted(fault.word), settledBy: .everything, using: &random)
        case .notModified:
            return Decision(.keep(row.early()), lane: .proof(.service))
        case .incorrectEnvironment:
            return attribute(row.quarantined(.environment), row, .environmentRefused, using: &random)
        case .badRequest:
            return attribute(row.chargedOncePerDay(.badRequest), row, .requestsRefused, using: &random)
        case .unauthorized where hasOtherKey:
            return Decision(.sendAgain)
        case .unauthorized:
            return attribute(row.quarantined(.foreignTeam), row, .credentialRefused, using: &random)
        case .noData:
            let quiet = row.quiet(until: quietTime(of: due, now: now, using: &random))
            if serverHasAnswered { return Decision(.keep(quiet), lane: .proof(.service)) }
            guard due.wasAttested(within: Self.surelyKnown, before: now) else {
                return Decision(.keep(quiet), lane: .untold)
            }
            return attribute(quiet, row, .nothingFound, using: &random)
        case .tooManyRequests(let retryAfter):
            let wait = Spreading.duration(from: .minutes(10), to: .minutes(60), using: &random)
            let pause = Self.pause(retryAfter, serverDate: serverDate ?? now)
            return Decision(.keep(row.moved(by: wait)), lane: .slowDown(pause: pause))
        case .refusedStream where resends < Self.longestResending:
            return Decision(.sendAgain)
        case .serverFailure, .unreachable, .refusedStream:
            let longest = Backoff.outage.wait(after: failures)
            // Full jitter, but for the second that keeps the row out of the run that moved it.
            let wait = Spreading.duration(from: .seconds(1), to: longest, using: &random)
            return Decision(.keep(row.failed(until: now + wait)))
        case .unexpected:
            return Decision(.keep(row.failed(until: now + Backoff.answered.wait(after: failures))))
        }
    }

    /// The receipt is charged if the lane is shown good, and held if not.
    private func attribute(
        _ charged: ScheduleRow, _ row: KeptRow, _ cause: StopCause, settledBy proof: LaneProof = .service,
        using random: inout some RandomNumberGenerator
    ) -> Decision {
        Decision(
            .attribute(ifCharged: charged, otherwise: row.held(using: &random)),
            lane: .doubt(cause, settledBy: proof))
    }

    /// How long to pause: `Retry-After` as seconds, or as a date that counts from the server's own; never below zero,
    /// never above an hour, zero where there is none.
    private static func pause(_ retryAfter: RetryAfter?, serverDate: Instant) -> Duration {
        let asked: Duration =
            switch retryAfter {
            case nil: .zero
            case .delay(let seconds): .seconds(min(max(0, seconds), 86_400))
            case .date(let date): date - serverDate
            }
        return min(max(.zero, asked), longestPause)
    }

    private func quietTime(
        of due: DueReceipt, now: Instant, using random: inout some RandomNumberGenerator
    ) -> Instant {
        let window = RefreshWindow(
            creationTime: due.creationTime, notBefore: due.notBefore, expirationTime: due.expirationTime)
        return SchedulePlanner(cadence: cadence).quietDueTime(window: window, now: now, using: &random)
    }
}

extension DueReceipt {
    /// Whether the key is known to have been attested so shortly before `now`; an ATTEST receipt is made then.
    func wasAttested(within time: Duration, before now: Instant) -> Bool {
        let attested = attestedTime ?? (notBefore == nil ? creationTime : nil)
        return attested.map { now - $0 <= time } ?? false
    }
}

extension AnswerFault.Kind {
    /// What a receipt is quarantined for when its answers keep failing in this way.
    fileprivate var quarantineReason: QuarantineReason {
        switch self {
        case .notVerified: .notVerified
        case .notNewer: .notNewer
        case .otherKey: .otherKey
        }
    }
}
