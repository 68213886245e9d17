import AppAttest
import Postgres

/// A receipt as a back end handed it over in SQL; nothing of it is verified.
package struct SubmittedReceipt: Hashable, Sendable {
    /// Its number in the order in which receipts were handed over.
    package let number: Int64
    /// Whose key it is said to be.
    package let keyID: KeyIdentifier
    /// Whose app it is said to be.
    package let appID: AppID
    /// The environment it is said to be of; nil leaves that to the receipt.
    package let environment: Environment?
    /// When the key was attested; nil leaves that to the receipt.
    package let attestedTime: Instant?
    /// When it was handed over, by the database's clock.
    package let submittedTime: Instant
    /// For a back-fill: over how much time the first readings are spread.
    package let spread: Duration?
    /// The back end's own name of the device; 1 to 512 bytes.
    package let deviceRef: String?
    /// The back end's own name of the user; 1 to 512 bytes.
    package let userRef: String?
    /// What was handed over, in any flavour.
    package let receipt: ReceiptBytes
    /// The SHA-256 of just that.
    package let digest: SHA256Digest
}

extension SubmittedReceipt {
    /// From a row of `Query.pendingReceipts`.
    init(_ rows: inout Rows) throws(PostgresError) {
        self.init(
            number: try rows.read(), keyID: try rows.keyID(), appID: try rows.appID(),
            environment: try rows.optionalWord(), attestedTime: try rows.optionalInstant(),
            submittedTime: try rows.instant(),
            spread: try rows.readOptional(Int64.self).map { .microseconds($0) },
            deviceRef: try rows.readOptional(), userRef: try rows.readOptional(),
            receipt: ReceiptBytes(try rows.read()), digest: try rows.digest())
    }
}

/// Why a submission does not go in, as the back end reads it.
package struct SubmissionRejection: Hashable, Sendable {
    /// A stable word, `[a-z][a-z0-9_]*`.
    package let reason: String
    /// What was expected and what was found; nothing of the receipt is in it.
    package let detail: String

    /// Puts the parts together; nothing is checked.
    package init(reason: String, detail: String) {
        self.reason = reason
        self.detail = detail
    }
}

/// A submission, and what was found of it.
package struct JudgedSubmission: Hashable, Sendable {
    /// What was found.
    package enum Judgement: Hashable, Sendable {
        /// It verifies.
        case accepted(VerifiedIntake)
        /// It does not go in.
        case rejected(SubmissionRejection)
        /// It verifies, and is of this environment, which is for another worker to take in.
        case elsewhere(Environment)
    }

    /// What was handed over.
    package let submitted: SubmittedReceipt
    /// What was found.
    package let judgement: Judgement

    /// Puts the parts together; nothing is checked.
    package init(submitted: SubmittedReceipt, judgement: Judgement) {
        self.submitted = submitted
        self.judgement = judgement
    }
}

/// What became of a submission.
package enum SubmissionOutcome: Hashable, Sendable {
    /// It went in.
    case takenIn(IntakeOutcome)
    /// It stands among the rejected.
    case rejected(SubmissionRejection)
    /// It waits for a worker that has its environment, which it names now.
    case waits
    /// Another worker took it out, or it was erased.
    case gone
}
