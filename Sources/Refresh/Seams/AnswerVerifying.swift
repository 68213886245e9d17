import AppAttest

/// Judges an answer. Joined to `Verification` by the command.
package protocol AnswerVerifying: Sendable {
    /// Verifies an answer to `due`: signature, chain, payload, freshness against `serverDate` (the reply's `Date`;
    /// without one, `now`), app, key and environment.
    ///
    /// - Throws: which kind of fault was found.
    func verify(
        _ answer: ReceiptBytes, to due: DueReceipt, serverDate: Instant?, now: Instant
    ) throws(AnswerFault) -> VerifiedReceipt
}
