/// Why a journal is kept that was read to its end.
package enum JournalRemainder: String, Hashable, Sendable {
    /// Entries do not verify as the answers that they were kept as.
    case unverified
    /// Entries verify, and the database refused them for a value in them.
    case refused
}
