import AppAttest
import Refresh
import Verification

/// Judges answers for a run: `Verification` behind the protocol that `Refresh` knows.
struct AnswerVerifier: AnswerVerifying {
    /// One for the whole run: it remembers signers.
    let verifier: ReceiptVerifier

    func verify(
        _ answer: ReceiptBytes, to due: DueReceipt, serverDate: Instant?, now: Instant
    ) throws(AnswerFault) -> VerifiedReceipt {
        let replaced = ReplacedReceipt(
            appID: due.appID, keyID: due.keyID, environment: due.environment, creationTime: due.creationTime,
            attestedCertificateDigest: due.attestedCertificateDigest)
        do throws(VerificationFailure) {
            return try verifier.verifyAnswer(answer, replacing: replaced, serverDate: serverDate, now: now)
        } catch {
            throw AnswerFault(kind: Self.kind(error), word: error.word, detail: error.description)
        }
    }

    private static func kind(_ failure: VerificationFailure) -> AnswerFault.Kind {
        switch failure {
        case .notNewer: .notNewer
        case .appID, .environment, .key: .otherKey
        case .envelope, .malformed, .signerCount, .signerMissing, .signature, .chain, .signerNotMarked, .signerBlocked,
            .payload, .receiptType, .attestedCertificate, .stale, .fromFuture:
            .notVerified
        }
    }
}
