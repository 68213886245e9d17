/// How far a run has come.
package struct Progress: Hashable, Sendable {
    /// Rows that were due when the run began, or its limit where that is less.
    package let due: Int
    /// Rows whose outcome has been stored.
    package let done: Int
    /// Time since the run began.
    package let elapsed: Duration

    /// Puts the parts together; nothing is checked.
    package init(due: Int, done: Int, elapsed: Duration) {
        self.due = due
        self.done = done
        self.elapsed = elapsed
    }
}
