import AppAttest

/// Where a reading of due rows goes on.
package struct DueCursor: Hashable, Sendable {
    /// Rank of the last row read.
    package let rank: Rank
    /// Due time of the last row read.
    package let dueTime: Instant
    /// Key of the last row read.
    package let keyID: KeyIdentifier

    /// Puts the parts together; nothing is checked.
    package init(rank: Rank, dueTime: Instant, keyID: KeyIdentifier) {
        self.rank = rank
        self.dueTime = dueTime
        self.keyID = keyID
    }
}
