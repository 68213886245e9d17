import AppAttest
import OpenSSL

/// The steps that do not depend on who asks: from bytes to a payload that Apple signed.
struct Judge: Sendable {
    let anchors: TrustAnchors
    let blockedSigners: Set<SerialNumber>

    /// What is known of a receipt whose signature, chain, signer and payload are good.
    struct Finding: Sendable {
        let receipt: SignedReceipt
        let signer: TrustedSigner
        let payload: ReceiptPayload
    }

    /// Takes these steps in order and notes in `passed` which were; the chain is judged at `time`, or without one at
    /// the receipt's own creation time.
    func judge(
        _ bytes: ReceiptBytes, at time: Instant?, cache: SignerCache?, passed: inout StepSet
    ) throws(VerificationFailure) -> Finding {
        let receipt = try EnvelopeStep.read(bytes)
        passed.insert(.envelope)
        let partial = PartialPayload(reading: receipt.content)
        let signer =
            switch receipt.fastShape {
            case .exact: try judgeFast(receipt, partial, at: time, cache: cache, passed: &passed)
            case .departs: try judgeMessage(receipt, partial, at: time, passed: &passed)
            }
        try SignerStep.checkBlocked(signer, blocked: blockedSigners)
        passed.insert(.signer)
        let payload = try PayloadStep.read(partial)
        passed.insert(.payload)
        return Finding(receipt: receipt, signer: signer, payload: payload)
    }

    /// The shape in which Apple sends receipts: each signature is verified, a chain only when it is not known yet.
    private func judgeFast(
        _ receipt: SignedReceipt, _ partial: PartialPayload, at time: Instant?, cache: SignerCache?,
        passed: inout StepSet
    ) throws(VerificationFailure) -> TrustedSigner {
        let key = SignerCache.Key(receipt)
        if let key, let known = cache?.signer(for: key) {
            try SignatureStep.check(receipt, by: known.publicKey)
            passed.insert(.signature)
            let time = try PayloadStep.judgingTime(of: partial, given: time)
            if ChainStep.stillHolds(known, at: time) {
                passed.insert(.chain)
                return known
            }
        }
        let candidate = try SignatureStep.findSigner(of: receipt)
        try SignatureStep.check(receipt, by: candidate.publicKey)
        passed.insert(.signature)
        // Field 12 is signed content: it may decide the time only now that the signature is known to fit.
        let time = try PayloadStep.judgingTime(of: partial, given: time)
        let signer = try ChainStep.check(candidate, anchors: anchors, at: time)
        passed.insert(.chain)
        try SignerStep.checkMarker(signer)
        if let key, candidate.buildsOneChain { cache?.keep(signer, for: key) }
        return signer
    }

    private func judgeMessage(
        _ receipt: SignedReceipt, _ partial: PartialPayload, at time: Instant?, passed: inout StepSet
    ) throws(VerificationFailure) -> TrustedSigner {
        let time = try PayloadStep.judgingTime(of: partial, given: time)
        let signer = try MessageStep.check(receipt, anchors: anchors, at: time)
        passed.formUnion([.signature, .chain])
        try SignerStep.checkMarker(signer)
        return signer
    }
}

/// The steps that a verification has passed.
struct StepSet: OptionSet, Sendable {
    let rawValue: UInt16

    static let envelope = StepSet(.envelope)
    static let signature = StepSet(.signature)
    static let chain = StepSet(.chain)
    static let signer = StepSet(.signer)
    static let payload = StepSet(.payload)

    init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The set of one step.
    init(_ step: VerificationStep) {
        self.rawValue = 1 << UInt16(VerificationStep.allCases.firstIndex(of: step) ?? 15)
    }
}

extension SignerCandidate {
    /// Whether the embedded certificates leave OpenSSL no choice that could depend on the time: few, all of different
    /// subjects. Only then does a chain that was built at one time stand for the one that is built at another.
    var buildsOneChain: Bool {
        guard embedded.count <= 8 else { return false }
        return embedded.indices.allSatisfy { index in
            embedded[..<index].allSatisfy { !$0.hasSubject(of: embedded[index]) }
        }
    }
}
