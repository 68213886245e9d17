import AppAttest

/// A fault of the service itself with the facts that its words need.
package enum OperatorFault: Hashable, Sendable {
    /// The lane stopped with 401 or 403.
    case credentialRejected(Lane)
    /// The key was refused, and another one of its lane was taken.
    case keyRejected(Lane, keyID: String)
    /// The lane stopped with 400 or 404.
    case requestsRefused(Lane, StopCause)
    /// So many receipts wait for a person.
    case receiptsQuarantined(QuarantineReason, count: Int)
    /// So many have been due for over a day, the first of them since then.
    case backlogLate(count: Int, oldest: Instant)
    /// So many receipts that back ends have handed over have waited for over an hour, the first of them since then;
    /// those are apps, some with an environment, that the worker's configuration does not have.
    case intakeLate(count: Int, oldest: Instant, elsewhere: [String])
    /// So many were lost lately.
    case receiptsLost(count: Int)
    /// 200s that were not believed, by the failed step's word.
    case answersDoubted(Environment, words: [String: Int])
    /// The data server was failing when the run ended; the last failure's word.
    case breakerOpen(Environment, word: String)
    /// The data server answered nothing but 429 in a whole run.
    case paceThrottled(Environment)
    /// The data server's clock less ours.
    case clockSkewed(Environment, by: Duration)
    /// The database's clock less ours.
    case databaseClockSkewed(by: Duration)
    /// The certificate ends soon.
    case certificateExpiring(CertificateEnd)

    /// Which fault it is, whatever the facts.
    package var name: AlertName {
        switch self {
        case .credentialRejected(let lane): AlertName(.credentialRejected, lane.description)
        case .keyRejected(let lane, let keyID): AlertName(.credentialRejected, lane.description(ofKey: keyID))
        case .requestsRefused(let lane, _): AlertName(.requestsRefused, lane.description)
        case .receiptsQuarantined(let reason, _): AlertName(.receiptsQuarantined, reason.rawValue)
        case .backlogLate: AlertName(.backlogLate, "fleet")
        case .intakeLate: AlertName(.intakeLate, "fleet")
        case .receiptsLost: AlertName(.receiptsLost, "fleet")
        case .answersDoubted(let environment, _): AlertName(.integrityFailed, environment.rawValue)
        case .breakerOpen(let environment, _): AlertName(.breakerOpen, environment.rawValue)
        case .paceThrottled(let environment): AlertName(.paceThrottled, environment.rawValue)
        case .clockSkewed(let environment, _): AlertName(.clockSkewed, environment.rawValue)
        case .databaseClockSkewed: AlertName(.clockSkewed, Self.database)
        case .certificateExpiring(let certificate): AlertName(.signerExpiring, certificate.cause)
        }
    }

    /// The cause of `clock.skewed` that is no data server.
    static let database = "database"
}

/// When a certificate ends on which the verification of answers stands.
package struct CertificateEnd: Hashable, Sendable {
    /// What it is good for.
    package enum Role: Hashable, Sendable {
        /// It, or one between it and the anchor, signed answers of the run.
        case signer
        /// Signers must chain to it.
        case anchor
    }

    /// What it is good for.
    package let role: Role
    /// A signer's serial number in hexadecimal, an anchor's subject.
    package let name: String
    /// The end of its validity.
    package let time: Instant

    /// Puts the parts together; nothing is checked.
    package init(role: Role, name: String, time: Instant) {
        self.role = role
        self.name = name
        self.time = time
    }

    /// No serial number begins so.
    static let anchorMark = "anchor "

    var cause: String {
        switch role {
        case .signer: name
        case .anchor: Self.anchorMark + name
        }
    }

    /// How long before its end it is told of: a signer is followed by the next about a month before, an anchor needs a
    /// new file or a new build.
    package var warningTime: Duration {
        switch role {
        case .signer: .days(14)
        case .anchor: .days(30)
        }
    }
}
