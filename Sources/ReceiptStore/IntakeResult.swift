/// Whether and how a receipt went in.
package enum IntakeResult: Hashable, Sendable {
    /// The key was not on record before.
    case takenIn
    /// It took the place of an older receipt of its key.
    case replaced
    /// It is the stored receipt; nothing changed.
    case unchanged
    /// It is older than the stored receipt; only a reading it may have is kept.
    case older
    /// It did not go in.
    case rejected(IntakeRejection)
}
