/// Where a key's receipt stands.
package enum ReceiptState: String, Hashable, Sendable, CaseIterable {
    /// Apple is expected to have data: a first reading is awaited, or the last answer was a receipt.
    case active
    /// Apple answered 404, having forgotten attestations of about a month ago. Honest keys end so; a new attestation on
    /// their device revives them.
    case quiet
    /// Put aside for a person: see `QuarantineReason`.
    case quarantined
    /// Given up by a person while it was quarantined. The receipt is kept, and never sent again.
    case dropped
    /// Quiet, and its expiration time has passed. A normal end.
    case retired
    /// Data was expected, its expiration time passed, and a week of daily tries brought nothing.
    case lost
}
