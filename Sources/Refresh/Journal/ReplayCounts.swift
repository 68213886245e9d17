/// What came of the journals that earlier runs had left. What was stored is counted in the summary.
package struct ReplayCounts: Hashable, Sendable {
    /// Entries of keys that are no longer on record: nothing of them is put back.
    package var erased = 0
    /// Entries that do not verify as the answers that they were kept as, by the failed step's word. Nobody is charged.
    package var unverified: [String: Int] = [:]
    /// Entries that the database refused for a value in them, once more: nothing of them is stored.
    package var refused = 0
    /// Journals that could not be read to their end.
    package var damages: [JournalDamage] = []
    /// Where the journals are that were set aside: with damage, or with entries that are not stored.
    package var keptPaths: [String] = []

    /// Nothing was left.
    package init() {}

    /// What is left of the journal that was read since the counts stood so; nil where all of it is accounted for.
    func remainder(since before: ReplayCounts) -> JournalRemainder? {
        if unverified != before.unverified { return .unverified }
        return refused > before.refused ? .refused : nil
    }
}
