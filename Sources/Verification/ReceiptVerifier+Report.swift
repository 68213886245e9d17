import AppAttest
import OpenSSL

extension ReceiptVerifier {
    /// Looks at a receipt with nothing known about it and says how each step ended, values included where they can be
    /// read although the receipt is not valid.
    ///
    /// The chain is judged at `time`, or without one at the receipt's own creation time; `appID` is compared where
    /// given.
    /// Freshness and succession are questions about answers and are not asked.
    public func report(_ bytes: ReceiptBytes, at time: Instant? = nil, appID: AppID? = nil) -> VerificationReport {
        var passed = StepSet()
        var signer: TrustedSigner?
        var failure: VerificationFailure?
        do throws(VerificationFailure) {
            let finding = try judge.judge(bytes, at: time, cache: nil, passed: &passed)
            signer = finding.signer
            if let appID {
                try IdentityStep.checkApp(finding.payload, expected: appID)
                passed.insert(StepSet(.appID))
            }
            _ = try KeyStep.read(finding.payload)
            passed.insert(StepSet(.key))
        } catch {
            failure = error
        }
        let receipt = try? SignedReceipt(reading: bytes.bytes)
        let payload = receipt.map { PartialPayload(reading: $0.content) }
        let judgingTime = time ?? payload?.creationTime?.instant
        return VerificationReport(
            size: bytes.bytes.count, encoding: receipt?.encoding, contentChunks: receipt?.contentChunks,
            payload: payload, keyID: payload?.attestedCertificate.flatMap { try? KeyStep.read(certificate: $0).keyID },
            certificates: certificates(of: receipt, signer: signer, passed: passed, at: judgingTime),
            anchors: anchors.names, time: judgingTime,
            steps: steps(passed: passed, failure: failure, appID: appID), failure: failure)
    }

    private func steps(passed: StepSet, failure: VerificationFailure?, appID: AppID?) -> [StepReport] {
        var asked: [VerificationStep] = [.envelope, .signature, .chain, .signer, .payload]
        if appID != nil { asked.append(.appID) }
        asked.append(.key)
        return asked.map { step in
            if passed.contains(StepSet(step)) { return StepReport(step: step, outcome: .passed, detail: nil) }
            guard let failure, failure.step == step else {
                return StepReport(step: step, outcome: .notReached, detail: nil)
            }
            return StepReport(step: step, outcome: .failed, detail: failure.description)
        }
    }

    /// A receipt may hold its certificates in any order, so none is the signer's or an issuer's for its place.
    private func certificates(
        of receipt: SignedReceipt?, signer: TrustedSigner?, passed: StepSet, at time: Instant?
    ) -> [SignerCertificate] {
        guard let receipt else { return [] }
        let embedded = receipt.certificates.compactMap { try? Certificate(der: Array(receipt[$0])) }
        let candidate =
            signer.map { SignerCandidate(certificate: $0.certificate, publicKey: $0.publicKey, embedded: embedded) }
            ?? (try? SignatureStep.findSigner(of: receipt))
        guard let candidate, let own = candidate.certificate.facts else {
            return embedded.compactMap(\.facts).map { SignerCertificate(.embedded, $0) }
        }
        if passed.contains(.chain), let time {
            // `CMS_verify` keeps the chain that it builds to itself.
            let chain = signer.map(\.chain) ?? []
            let built = chain.isEmpty ? (try? ChainStep.check(candidate, anchors: anchors, at: time))?.chain : chain
            if let built {
                return built.enumerated().map { SignerCertificate($0.offset == 0 ? .signer : .issuer, $0.element) }
            }
        }
        let others = embedded.compactMap(\.facts).filter { $0 != own }
        return [SignerCertificate(passed.contains(.signature) ? .signer : .namedSigner, own)]
            + others.map { SignerCertificate(.embedded, $0) }
    }
}

extension SignerCertificate {
    /// The same facts in this module's nouns.
    init(_ role: Role, _ facts: CertificateFacts) {
        self.init(
            role: role, subject: facts.subject, issuer: facts.issuer, serial: SerialNumber(facts.serial),
            notBefore: Instant(seconds: facts.notBefore), notAfter: Instant(seconds: facts.notAfter))
    }
}
