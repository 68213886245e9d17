/// What can be wrong with the service itself, as the table of alerts names it.
package enum AlertKind: String, Hashable, Sendable, CaseIterable {
    /// A data server refuses a team's credential. Cause: the lane.
    case credentialRejected = "credential.rejected"
    /// It refuses whatever is sent, or answers 404 to it. Cause: the lane.
    case requestsRefused = "requests.refused"
    /// Receipts wait for a person. Cause: the reason.
    case receiptsQuarantined = "receipts.quarantined"
    /// Receipts have been due for long. Cause: always the same.
    case backlogLate = "backlog.late"
    /// Receipts that back ends have handed over wait for long. Cause: always the same.
    case intakeLate = "intake.late"
    /// Receipts expired while data was expected. Cause: always the same.
    case receiptsLost = "receipts.lost"
    /// Answers are not to be believed. Cause: the environment.
    case integrityFailed = "integrity.failed"
    /// A data server fails, and is asked no more than shows when it is back. Cause: the environment.
    case breakerOpen = "breaker.open"
    /// A data server answers nothing but 429. Cause: the environment.
    case paceThrottled = "pace.throttled"
    /// Clocks are minutes apart. Cause: the environment, or the database.
    case clockSkewed = "clock.skewed"
    /// A certificate on which verification stands ends soon. Cause: its serial number, or the anchor's name.
    case signerExpiring = "signer.expiring"
}

/// Which fault an alert is about: the same fault has the same name in every run.
package struct AlertName: Hashable, Sendable, Comparable {
    /// What is wrong.
    package let kind: AlertKind
    /// With whom.
    package let cause: String

    /// Names a fault.
    package init(_ kind: AlertKind, _ cause: String) {
        self.kind = kind
        self.cause = cause
    }

    package static func < (left: AlertName, right: AlertName) -> Bool {
        (left.kind.rawValue, left.cause) < (right.kind.rawValue, right.cause)
    }
}
