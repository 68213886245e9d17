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
        var chain: [CertificateFacts] = []
        var failure: VerificationFailure?
        do throws(VerificationFailure) {
            let finding = try judge.judge(bytes, at: time, cache: nil, passed: &passed)
            chain = finding.signer.chain
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
        return VerificationReport(
            size: bytes.bytes.count, encoding: receipt?.encoding, contentChunks: receipt?.contentChunks,
            payload: payload, keyID: payload?.attestedCertificate.flatMap { try? KeyStep.read(certificate: $0).keyID },
            certificates: (chain.isEmpty ? embeddedCertificates(receipt) : chain).map(SignerCertificate.init),
            anchors: anchors.names, time: time ?? payload?.creationTime?.instant,
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

    private func embeddedCertificates(_ receipt: SignedReceipt?) -> [CertificateFacts] {
        guard let receipt else { return [] }
        return receipt.certificates.compactMap { (try? Certificate(der: Array(receipt[$0])))?.facts }
    }
}

extension SignerCertificate {
    /// The same facts in this module's nouns.
    init(_ facts: CertificateFacts) {
        self.init(
            subject: facts.subject, issuer: facts.issuer, serial: SerialNumber(facts.serial),
            notBefore: Instant(seconds: facts.notBefore), notAfter: Instant(seconds: facts.notAfter))
    }
}
