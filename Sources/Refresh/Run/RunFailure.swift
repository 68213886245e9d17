/// The store failed: the run ended once everything in flight had come back.
package struct RunFailure: Error, Hashable, Sendable {
    /// What the store said.
    package let cause: StoreFailure
    /// What had been done until then; `unsaved` counts the outcomes that were lost.
    package let result: RunResult

    /// Puts the parts together; nothing is checked.
    package init(cause: StoreFailure, result: RunResult) {
        self.cause = cause
        self.result = result
    }
}
