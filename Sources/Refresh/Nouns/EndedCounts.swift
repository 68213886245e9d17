/// How many rows ended because their expiration time passed.
package struct EndedCounts: Hashable, Sendable {
    /// Quiet rows that retired.
    package let retired: Int
    /// Rows with data expected that were lost.
    package let lost: Int

    /// Puts the parts together; nothing is checked.
    package init(retired: Int, lost: Int) {
        self.retired = retired
        self.lost = lost
    }
}
