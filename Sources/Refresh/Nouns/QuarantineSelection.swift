import AppAttest

/// Which of the keys that wait for a person are meant: those that fit every part that is there.
package struct QuarantineSelection: Hashable, Sendable {
    /// These keys alone; nil: whichever.
    package var keys: Set<KeyIdentifier>?
    /// Put aside for this reason.
    package var reason: QuarantineReason?
    /// Put aside at this time or later; of kept answers, received then.
    package var since: Instant?
    /// Put aside before this time; of kept answers, received before it.
    package var before: Instant?
    /// Of this app.
    package var app: AppID?

    /// All of them.
    package init() {}
}
