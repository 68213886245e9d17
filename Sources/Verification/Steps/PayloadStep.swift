import AppAttest

/// Is the content a receipt's payload that can be used?
package enum PayloadStep {
    /// The time at which the chain is judged: `given`, or without one field 12.
    package static func judgingTime(
        of partial: PartialPayload, given: Instant? = nil
    ) throws(VerificationFailure) -> Instant {
        if let given { return given }
        if let time = partial.creationTime { return time.instant }
        throw .payload(partial.problems.first ?? .missingField(.creationTime))
    }

    /// The payload, complete and without contradictions.
    package static func read(_ partial: PartialPayload) throws(VerificationFailure) -> ReceiptPayload {
        do { return try ReceiptPayload(partial) } catch { throw .payload(error) }
    }
}
