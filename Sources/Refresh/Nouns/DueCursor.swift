import AppAttest

/// Where a reading of the due rows of one rank goes on.
package struct DueCursor: Hashable, Sendable {
    /// Due time of the last row read.
    package let dueTime: Instant
    /// Key of the last row read.
    package let keyID: KeyIdentifier

    /// Puts the parts together; nothing is checked.
    package init(dueTime: Instant, keyID: KeyIdentifier) {
        self.dueTime = dueTime
        self.keyID = keyID
    }
}
