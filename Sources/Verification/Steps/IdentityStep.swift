import AppAttest

/// Is it a receipt of the app, environment and type that we expect?
package enum IdentityStep {
    /// Field 6: data servers answer with receipts of type RECEIPT. An ATTEST receipt has no *not before*; taking one
    /// for an answer would have it sent again at once.
    package static func checkType(_ payload: ReceiptPayload) throws(VerificationFailure) {
        guard payload.type == .receipt else { throw .receiptType(expected: .receipt, found: payload.type) }
    }

    /// Field 2.
    package static func checkApp(_ payload: ReceiptPayload, expected: AppID) throws(VerificationFailure) {
        guard payload.appID == expected else { throw .appID(expected: expected, found: payload.appID) }
    }

    /// Field 7.
    package static func checkEnvironment(
        _ payload: ReceiptPayload, expected: Set<Environment>
    ) throws(VerificationFailure) {
        guard expected.contains(payload.environment) else {
            throw .environment(expected: expected, found: payload.environment)
        }
    }
}
