/// Which file of a run's journal an entry is in.
package struct JournalPlace: Hashable, Sendable {
    /// The file's number.
    package let file: Int

    /// Names a place.
    package init(file: Int) {
        self.file = file
    }
}
