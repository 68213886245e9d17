import AppAttest

/// The answers that were not believed. Implemented by `ReceiptStore`.
package protocol KeptAnswerStoring: Sendable {
    /// The answers of the next keys after `cursor`, at most `keyLimit` keys: all answers of a key that has one in the
    /// selection, in the order in which they came.
    func keptAnswers(
        _ selection: QuarantineSelection, after cursor: KeyIdentifier?, keyLimit: Int
    ) async throws(StoreFailure) -> [KeptAnswer]
    /// Lets answers go, by their numbers.
    func removeAnswers(_ numbers: [Int64]) async throws(StoreFailure)
}
