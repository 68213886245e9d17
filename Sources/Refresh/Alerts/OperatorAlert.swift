import AppAttest

/// A fault of the service itself, in words.
package struct OperatorAlert: Hashable, Sendable {
    /// Which fault.
    package let name: AlertName
    /// What was expected and what was found, in one line.
    package let message: String
    /// What to do.
    package let hint: String

    /// Puts the parts together; nothing is checked.
    package init(name: AlertName, message: String, hint: String) {
        self.name = name
        self.message = message
        self.hint = hint
    }
}

/// An alert that is stored, and whose fault has not been found gone.
package struct OpenAlert: Hashable, Sendable {
    /// Its kind; one that `AlertKind` does not know was written by a later version.
    package let kind: String
    /// With whom.
    package let cause: String
    /// What was expected and what was found.
    package let message: String
    /// What to do.
    package let hint: String
    /// When a run first found it.
    package let openedTime: Instant
    /// When a run last found it.
    package let seenTime: Instant

    /// Puts the parts together; nothing is checked.
    package init(
        kind: String, cause: String, message: String, hint: String, openedTime: Instant, seenTime: Instant
    ) {
        self.kind = kind
        self.cause = cause
        self.message = message
        self.hint = hint
        self.openedTime = openedTime
        self.seenTime = seenTime
    }

    /// Its name; nil for a kind that is not known.
    package var name: AlertName? { AlertKind(rawValue: kind).map { AlertName($0, cause) } }
}

/// What is to be written of the alerts at a run's end.
package struct AlertChanges: Hashable, Sendable {
    /// Faults that are there: each is opened, or seen once more.
    package let found: [OperatorAlert]
    /// Faults that are gone.
    package let ended: [AlertName]

    /// Puts the parts together; no name stands in both.
    package init(found: [OperatorAlert], ended: [AlertName]) {
        self.found = found
        self.ended = ended
    }
}
