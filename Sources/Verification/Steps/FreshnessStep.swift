import AppAttest

/// Was this answer made just now, and after the receipt it replaces? Never asked of stored receipts.
package enum FreshnessStep {
    /// How long before the server's `Date` an answer may have been made (Apple, Assessing fraud risk).
    package static let ageLimit = Duration.minutes(5)
    /// How long after it: answers from some seconds ahead are normal, and `Date` has whole seconds only.
    package static let clockTolerance = Duration.minutes(1)

    /// Whether the answer was made within `ageLimit` before and `clockTolerance` after `reference`.
    package static func check(_ payload: ReceiptPayload, at reference: Instant) throws(VerificationFailure) {
        let age = reference - payload.creationTime.instant
        guard age <= ageLimit else { throw .stale(payload.creationTime, reference: reference, limit: ageLimit) }
        guard age >= .zero - clockTolerance else {
            throw .fromFuture(payload.creationTime, reference: reference, tolerance: clockTolerance)
        }
    }

    /// Whether the answer was created later than the receipt it was asked for with.
    package static func checkSuccession(
        _ payload: ReceiptPayload, after replaced: Instant
    ) throws(VerificationFailure) {
        guard payload.creationTime.instant > replaced else {
            throw .notNewer(than: replaced, found: payload.creationTime)
        }
    }
}
