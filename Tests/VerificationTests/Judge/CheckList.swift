import AppAttest
import OpenSSL
import Verification

/// The checks that make a receipt believed, put together here a second time so that one can be left out.
struct CheckList: Sendable {
    /// What can be left out.
    enum Check: String, Hashable, Sendable, CaseIterable {
        case envelope, signature, chain, marker, blocked, payload, type, app, environment, key, succession, freshness

        /// The check that finds a failure.
        init(finding failure: VerificationFailure) {
            switch failure {
            case .envelope, .malformed, .signerCount: self = .envelope
            case .signerMissing, .signature: self = .signature
            case .chain: self = .chain
            case .signerNotMarked: self = .marker
            case .signerBlocked: self = .blocked
            case .payload: self = .payload
            case .receiptType: self = .type
            case .appID: self = .app
            case .environment: self = .environment
            case .attestedCertificate, .key: self = .key
            case .notNewer: self = .succession
            case .stale, .fromFuture: self = .freshness
            }
        }
    }

    let anchors: TrustAnchors
    let blocked: Set<SerialNumber>
    /// The check that is left out; nil: the whole list.
    var omitted: Check?

    /// The first failure; nil for a receipt that is believed.
    func failure(of subject: JudgeCase) -> VerificationFailure? {
        do throws(VerificationFailure) {
            try judge(subject)
            return nil
        } catch { return error }
    }

    private func judge(_ subject: JudgeCase) throws(VerificationFailure) {
        let (content, signer) = try establish(subject)
        if omitted != .marker { try SignerStep.checkMarker(signer) }
        if omitted != .blocked { try SignerStep.checkBlocked(signer, blocked: blocked) }
        let partial = PartialPayload(reading: content)
        let payload = try omitted == .payload ? lenient(partial) : PayloadStep.read(partial)
        switch subject.request {
        case .stored(let expected):
            try identify(payload, expected.appID, expected.environments, expected.keyID)
        case .answer(let replaced, let serverDate):
            if omitted != .type { try IdentityStep.checkType(payload) }
            try identify(payload, replaced.appID, [replaced.environment], replaced.keyID)
            if omitted != .succession { try FreshnessStep.checkSuccession(payload, after: replaced.creationTime) }
            if omitted != .freshness { try FreshnessStep.check(payload, at: serverDate) }
        }
    }

    private func identify(
        _ payload: ReceiptPayload, _ appID: AppID, _ environments: Set<Environment>, _ keyID: KeyIdentifier
    ) throws(VerificationFailure) {
        if omitted != .app { try IdentityStep.checkApp(payload, expected: appID) }
        if omitted != .environment { try IdentityStep.checkEnvironment(payload, expected: environments) }
        if omitted != .key { try KeyStep.check(try KeyStep.read(payload), expected: keyID) }
    }

    /// Envelope, signature and chain.
    private func establish(_ subject: JudgeCase) throws(VerificationFailure) -> ([UInt8], TrustedSigner) {
        if omitted == .envelope { return try establishByOpenSSL(subject) }
        let receipt = try EnvelopeStep.read(ReceiptBytes(subject.bytes))
        let partial = PartialPayload(reading: receipt.content)
        if case .departs = receipt.fastShape, omitted != .signature, omitted != .chain {
            let time = try judgingTime(partial, subject)
            return (receipt.content, try MessageStep.check(receipt, anchors: anchors, at: time))
        }
        let candidate = try SignatureStep.findSigner(of: receipt)
        if omitted != .signature { try SignatureStep.check(receipt, by: candidate.publicKey) }
        let time = try judgingTime(partial, subject)
        guard omitted != .chain else { return (receipt.content, TrustedSigner(candidate, chain: [])) }
        return (receipt.content, try ChainStep.check(candidate, anchors: anchors, at: time))
    }

    /// Without an envelope step OpenSSL alone says what the message is.
    private func establishByOpenSSL(_ subject: JudgeCase) throws(VerificationFailure) -> ([UInt8], TrustedSigner) {
        guard
            let verified = try? CMS.verify(
                subject.bytes, anchors: anchors.certificates, at: subject.time.seconds),
            let certificate = verified.signers.first, let key = certificate.publicKey
        else { throw .malformed(reason: "CMS_verify") }
        let candidate = SignerCandidate(certificate: certificate, publicKey: key, embedded: [])
        return (verified.content, TrustedSigner(candidate, chain: []))
    }

    private func judgingTime(
        _ partial: PartialPayload, _ subject: JudgeCase
    ) throws(VerificationFailure) -> Instant {
        omitted == .payload ? subject.time : try PayloadStep.judgingTime(of: partial)
    }

    /// A payload of whatever could be read.
    private func lenient(_ partial: PartialPayload) throws(VerificationFailure) -> ReceiptPayload {
        guard let appID = partial.appID, let certificate = partial.attestedCertificate,
            let environment = partial.environment, let creationTime = partial.creationTime
        else { return try PayloadStep.read(partial) }
        return ReceiptPayload(
            appID: appID, attestedCertificate: certificate, clientHash: partial.clientHash ?? [],
            token: partial.token ?? [], type: partial.type ?? .receipt, environment: environment,
            creationTime: creationTime, riskMetric: partial.riskMetric, notBefore: partial.notBefore,
            expirationTime: partial.expirationTime ?? creationTime, unknownFields: partial.unknownFields)
    }
}
