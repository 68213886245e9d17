import AppAttest
import OpenSSL

/// Turns bytes into verified receipts: stored ones as they were when created, answers as of now.
///
///     let verifier = ReceiptVerifier(trusting: try .appleReceipts())
///     let receipt = try verifier.verifyStored(bytes, expecting: expectation)
///
/// Every step of Apple's list is taken for every receipt; nothing turns one off. Use one verifier for a whole run: it
/// remembers signers whose chains were verified, which makes a receipt some twenty times cheaper.
public struct ReceiptVerifier: Sendable {
    let judge: Judge
    private let intakeCache = SignerCache()
    private let answerCache = SignerCache()

    /// The anchors that signers must chain to.
    public var anchors: TrustAnchors { judge.anchors }

    /// The signers of the answers that were judged, those of another shape than Apple sends them in left out: how long
    /// their chains hold is what an operator has to know before it is over.
    package var signersOfAnswers: [TrustedSigner] { answerCache.signers }

    /// A verifier that trusts `anchors` and believes none of `blockedSigners`.
    public init(trusting anchors: TrustAnchors, blockedSigners: Set<SerialNumber> = []) {
        self.judge = Judge(anchors: anchors, blockedSigners: blockedSigners)
    }

    /// Verifies a stored receipt, of any age, as of its creation time.
    ///
    /// - Throws: the first step's failure.
    public func verifyStored(
        _ bytes: ReceiptBytes, expecting expected: ExpectedReceipt
    ) throws(VerificationFailure) -> VerifiedReceipt {
        var passed = StepSet()
        let finding = try judge.judge(bytes, at: nil, cache: intakeCache, passed: &passed)
        try IdentityStep.checkApp(finding.payload, expected: expected.appID)
        try IdentityStep.checkEnvironment(finding.payload, expected: expected.environments)
        let key = try KeyStep.read(finding.payload)
        try KeyStep.check(key, expected: expected.keyID)
        return VerifiedReceipt(bytes, finding, key)
    }

    /// Verifies a data server's answer to `replaced`.
    ///
    /// Freshness is judged against `serverDate`, the reply's `Date`, so that a clock of ours that is off refuses
    /// nothing; against `now` where the reply had none. A token (field 5) that has changed is not a failure: compare it
    /// to record the change.
    ///
    /// - Throws: the first step's failure.
    public func verifyAnswer(
        _ bytes: ReceiptBytes, replacing replaced: ReplacedReceipt, serverDate: Instant?, now: Instant
    ) throws(VerificationFailure) -> VerifiedReceipt {
        var passed = StepSet()
        let finding = try judge.judge(bytes, at: nil, cache: answerCache, passed: &passed)
        try IdentityStep.checkType(finding.payload)
        try IdentityStep.checkApp(finding.payload, expected: replaced.appID)
        try IdentityStep.checkEnvironment(finding.payload, expected: [replaced.environment])
        let key = try KeyStep.read(finding.payload, knowing: replaced)
        try KeyStep.check(key, expected: replaced.keyID)
        try FreshnessStep.checkSuccession(finding.payload, after: replaced.creationTime)
        try FreshnessStep.check(finding.payload, at: serverDate ?? now)
        return VerifiedReceipt(bytes, finding, key)
    }
}

extension VerifiedReceipt {
    /// Puts together what the steps have found.
    init(_ bytes: ReceiptBytes, _ finding: Judge.Finding, _ key: AttestedKey) {
        self.init(
            bytes: bytes, digest: SHA256Digest(hashing: bytes.bytes), payload: finding.payload,
            publicPoint: key.publicPoint,
            keyID: key.keyID, attestedCertificateDigest: key.certificateDigest,
            signerSerial: finding.signer.serial.bytes)
    }
}
