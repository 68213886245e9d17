extension RefreshRun {
    /// Works with the store, again where it was away for a moment: answers that Apple has given are not dropped for one
    /// connection. What must be done before the run, such as looking at the schema, may use it too.
    ///
    /// - Parameter work: may be done twice, since what was lost can be the word that it is done.
    /// - Throws: the last failure; one that is not about being away at once.
    package func retrying<Value: Sendable>(
        _ work: () async throws(StoreFailure) -> Value
    ) async throws(StoreFailure) -> Value {
        try await patience.retrying(work)
    }
}
