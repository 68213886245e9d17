/// Keeps answers safe until the store has them. Joined to the files of `System` by the command.
package protocol AnswerJournaling: Sendable {
    /// Writes entries, all or none, and returns when nothing but the loss of the disk can lose them.
    ///
    /// - Throws: `cannotWrite`, and then for every later call too.
    func append(_ entries: [JournalEntry]) async throws(JournalFailure) -> JournalPlace
    /// The store has so many entries of each place: they are needed no more.
    func settle(_ counts: [JournalPlace: Int]) async

    /// Takes the next journal whose run has ended without it, and holds it against other runs until `finishLeft` or the
    /// next call.
    ///
    /// - Returns: whether there was one.
    func takeLeft() async throws(JournalFailure) -> Bool
    /// The next entries of the journal taken, at most `limit`; none at its end, or where its damage begins. A record
    /// that is whole and yet no entry is left out, and counted by `finishLeft`.
    func readLeft(limit: Int) async throws(JournalFailure) -> [JournalEntry]
    /// Is done with the journal taken, whose entries are all in the store or accounted for.
    ///
    /// - Parameter keeping: what is left of it, so that it is set aside; nil: it is removed.
    func finishLeft(keeping: JournalRemainder?) async throws(JournalFailure) -> LeftJournalEnd
}

/// What became of a journal that was left.
package struct LeftJournalEnd: Hashable, Sendable {
    /// What could not be read of it, if anything.
    package var damage: JournalDamage?
    /// Where it is kept; nil: it is removed.
    package var keptPath: String?

    /// Puts the parts together; nothing is checked.
    package init(damage: JournalDamage? = nil, keptPath: String? = nil) {
        self.damage = damage
        self.keptPath = keptPath
    }
}
