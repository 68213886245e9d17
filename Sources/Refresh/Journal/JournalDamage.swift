/// A journal that could not be read to its end.
package struct JournalDamage: Hashable, Sendable {
    /// The journal's path.
    package let path: String
    /// Octets that could not be read.
    package let dropped: Int
    /// Expected and found.
    package let reason: String
    /// Whether a write that was cut off explains it: what is gone then had never been said to be safe.
    package let isTornTail: Bool

    /// Puts the parts together; nothing is checked.
    package init(path: String, dropped: Int, reason: String, isTornTail: Bool) {
        self.path = path
        self.dropped = dropped
        self.reason = reason
        self.isTornTail = isTornTail
    }
}
