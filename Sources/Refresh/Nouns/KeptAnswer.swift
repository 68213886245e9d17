/// An answer that was not believed, as the store keeps it to be judged again.
package struct KeptAnswer: Hashable, Sendable {
    /// Its number in the store; a later one came later.
    package let number: Int64
    /// The answer, when it came, and to what.
    package let entry: JournalEntry

    /// Puts the parts together; nothing is checked.
    package init(number: Int64, entry: JournalEntry) {
        self.number = number
        self.entry = entry
    }
}
