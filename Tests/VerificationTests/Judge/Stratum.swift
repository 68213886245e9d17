import TestSupport

/// The kinds of cases. Each gets the same share, so that rare failures are met as often as common ones.
enum Stratum: String, Hashable, Sendable, CaseIterable {
    // Structure that changes nothing.
    case asItIs, rechunked, onePiece, definite, indefinite, someIndefinite, longLengths, certificatesReordered
    case certificateAdded, rootDropped, subjectKeyIdentifier, unsignedAttributes, signedAttributes, fieldsReordered

    // Structure that no receipt may have.
    case signerSwapped, signerDropped, intermediateDropped, secondSigner, detached, trailing, nestedChunks, tooLarge
    case certificateUnreadable, invalidSignedAttributes, unknownKeyIdentifier, revocationInformation

    // Damage.
    case bitFlipped, contentFlipped, signatureFlipped, identifierFlipped, signerCertificateFlipped
    case otherCertificateFlipped, truncated, bytesReplaced, bytesInserted, bytesRemoved

    // Signers that may not sign.
    case refusedGenuine, unmarkedSigner, blockedSigner, expiredSigner, agreementSigner, foreignSigner

    // Signed by the right signer, and still not what was asked for.
    case attestAsAnswer, otherApp, otherEnvironment, otherKey, noAttestedCertificate, notNewer, stale, fromFuture
    case duplicateField, missingField, senselessField
}

extension JudgePool {
    /// A case of the stratum.
    func makeCase(_ stratum: Stratum, _ generator: inout SeededGenerator) throws -> JudgeCase {
        switch stratum {
        case .asItIs, .rechunked, .onePiece, .definite, .indefinite, .someIndefinite, .longLengths,
            .certificatesReordered, .certificateAdded, .rootDropped, .subjectKeyIdentifier, .unsignedAttributes,
            .signedAttributes, .fieldsReordered:
            try makeHarmless(stratum, &generator)
        case .signerSwapped, .signerDropped, .intermediateDropped, .secondSigner, .detached, .trailing, .nestedChunks,
            .tooLarge, .certificateUnreadable, .invalidSignedAttributes, .unknownKeyIdentifier,
            .revocationInformation:
            try makeMisshapen(stratum, &generator)
        case .bitFlipped, .contentFlipped, .signatureFlipped, .identifierFlipped, .signerCertificateFlipped,
            .otherCertificateFlipped, .truncated, .bytesReplaced, .bytesInserted, .bytesRemoved:
            try makeDamaged(stratum, &generator)
        case .refusedGenuine, .unmarkedSigner, .blockedSigner, .expiredSigner, .agreementSigner, .foreignSigner:
            try makeWronglySigned(stratum, &generator)
        case .attestAsAnswer, .otherApp, .otherEnvironment, .otherKey, .noAttestedCertificate, .notNewer, .stale,
            .fromFuture, .duplicateField, .missingField, .senselessField:
            try makeUnexpected(stratum, &generator)
        }
    }

    /// A valid receipt, genuine more often than not where there are any.
    func template(_ generator: inout SeededGenerator) -> Template {
        generator.pick(genuine.isEmpty || generator.oneIn(3) ? minted : genuine)
    }

    /// A case around a template whose envelope was edited.
    func makeCase(
        _ template: Template, _ verdict: JudgeCase.Verdict, _ generator: inout SeededGenerator,
        edit: (inout EditableReceipt, inout SeededGenerator) throws -> Void
    ) throws -> JudgeCase {
        var receipt = try EditableReceipt(template.bytes)
        try edit(&receipt, &generator)
        return makeCase(template, receipt.encoded, verdict, &generator)
    }

    /// A case around a template whose bytes were changed.
    func makeCase(
        _ template: Template, _ bytes: [UInt8], _ verdict: JudgeCase.Verdict, _ generator: inout SeededGenerator
    ) -> JudgeCase {
        JudgeCase(
            bytes: bytes, request: template.request(&generator), time: template.payload.creationTime.instant,
            verdict: verdict)
    }
}
