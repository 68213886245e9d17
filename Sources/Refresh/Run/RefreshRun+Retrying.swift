extension RefreshRun {
    /// The waits before another try: enough for a database that restarts or hands over, short beside a run.
    private static let storeWaits: [Duration] = [.seconds(1), .seconds(5), .seconds(15)]

    /// Works with the store, again where it was away for a moment: answers that Apple has given are not dropped for one
    /// connection.
    ///
    /// - Parameter work: may be done twice, since what was lost can be the word that it is done.
    /// - Throws: the last failure; one that is not about being away at once.
    func retrying<Value: Sendable>(
        _ work: () async throws(StoreFailure) -> Value
    ) async throws(StoreFailure) -> Value {
        for wait in Self.storeWaits {
            do throws(StoreFailure) {
                return try await work()
            } catch {
                guard error.isPassing else { throw error }
                await timer.sleep(until: timer.now() + wait)
            }
        }
        return try await work()
    }
}

extension StoreFailure {
    /// Whether the same may work a moment later.
    fileprivate var isPassing: Bool {
        switch self {
        case .unavailable: true
        case .statementFailed, .schemaMismatch: false
        }
    }
}
