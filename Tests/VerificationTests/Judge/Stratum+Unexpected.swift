import AppAttest
import SimulatedDataServer
import TestSupport
import Verification

extension JudgePool {
    /// Good payloads, signed by somebody who may not sign receipts.
    func makeWronglySigned(_ stratum: Stratum, _ generator: inout SeededGenerator) throws -> JudgeCase {
        if stratum == .refusedGenuine, !genuineRefused.isEmpty {
            let template = generator.pick(genuineRefused)
            return makeCase(template, template.bytes, .refusedSomehow, &generator)
        }
        let signer: ReceiptSigner
        let verdict: JudgeCase.Verdict
        switch stratum {
        case .unmarkedSigner: (signer, verdict) = (unmarkedSigner, .refused(.signerNotMarked))
        case .blockedSigner: (signer, verdict) = (blockedSigner, .refused(.signerBlocked))
        case .expiredSigner: (signer, verdict) = (expiredSigner, .refused(.chain))
        case .agreementSigner: (signer, verdict) = (agreementSigner, .refused(.chain))
        default: (signer, verdict) = (foreignSigner, .refused(.chain))
        }
        let template = generator.pick(minted)
        let payload = try SignedReceipt(reading: template.bytes).content
        let bytes = try varied(signer.envelope(payload), &generator)
        return makeCase(template, bytes, verdict, &generator)
    }

    /// Good signatures over payloads that are not what was asked for.
    func makeUnexpected(_ stratum: Stratum, _ generator: inout SeededGenerator) throws -> JudgeCase {
        let device = generator.pick(Array(devices.prefix(3)))
        let time = JudgePool.era.adding(seconds: Int64(generator.pick(0..<100_000)))
        var content = JudgePool.content(device, kind: .receipt(riskMetric: generator.pick(1..<30)), at: time)
        let honest = try Template(signers[0].envelope(content.encoded), isGenuine: false)
        var verdict = JudgeCase.Verdict.refused(.payload)
        var fields: [(number: UInt8, value: [UInt8])]?
        switch stratum {
        case .attestAsAnswer: (content.kind, verdict) = (.attest, .refused(.receiptType))
        case .otherApp: (content.appID, verdict) = ("ABCDE12345.com.example.other", .refused(.appID))
        case .otherEnvironment:
            content.environment = content.environment == .production ? .development : .production
            verdict = .refused(.environment)
        case .otherKey: (content.certificate, verdict) = (devices[4].key.certificate, .refused(.key))
        case .noAttestedCertificate:
            content.certificate.removeLast(generator.pick(1..<200))
            verdict = .refused(.attestedCertificate)
        case .duplicateField: fields = content.fields + [generator.pick(content.fields)]
        case .missingField:
            fields = content.fields
            let required = content.fields.indices.filter { ![17, 19].contains(content.fields[$0].number) }
            fields?.remove(at: generator.pick(required))
        case .senselessField: fields = senseless(content.fields, &generator)
        default: break
        }
        let payload = fields.map { ReceiptContent.encode($0) } ?? content.encoded
        let request = try request(stratum, honest, &verdict, &generator)
        return JudgeCase(
            bytes: try varied(generator.pick(signers).envelope(payload), &generator), request: request,
            time: honest.payload.creationTime.instant, verdict: verdict)
    }

    /// The question about the honest receipt, spoilt where the stratum is about the question.
    private func request(
        _ stratum: Stratum, _ honest: Template, _ verdict: inout JudgeCase.Verdict,
        _ generator: inout SeededGenerator
    ) throws -> JudgeCase.Request {
        let created = honest.payload.creationTime.instant
        var before = created - .days(generator.pick(1..<60))
        var date = created + .seconds(generator.pick(-50..<290))
        switch stratum {
        case .notNewer:
            before = created + .seconds(generator.oneIn(2) ? 0 : generator.pick(0..<100_000))
            verdict = .refused(.notNewer)
        case .stale:
            date = created + .seconds(generator.pick(301..<100_000))
            verdict = .refused(.stale)
        case .fromFuture:
            date = created - .seconds(generator.pick(61..<100_000))
            verdict = .refused(.fromFuture)
        case .attestAsAnswer: break
        default:
            if generator.oneIn(2) { return honest.storedRequest }
        }
        return .answer(
            ReplacedReceipt(
                appID: honest.payload.appID, keyID: honest.keyID, environment: honest.payload.environment,
                creationTime: before,
                attestedCertificateDigest: SHA256Digest(hashing: honest.payload.attestedCertificate)),
            serverDate: date)
    }

    private func senseless(
        _ fields: [(number: UInt8, value: [UInt8])], _ generator: inout SeededGenerator
    ) -> [(number: UInt8, value: [UInt8])] {
        let (number, text) = generator.pick([
            (UInt8(2), "com.example"), (6, "RECEIPTS"), (7, "staging"), (12, "2026-02-30T00:00:00Z"), (12, "today"),
            (17, "-1"), (17, "many"), (17, ""), (21, "2026-01-01"), (21, "2020-01-01T00:00:00Z"),
            (19, "2099-01-01T00:00:00Z"),
        ])
        return fields.map { $0.number == number ? (number, Array(text.utf8)) : $0 }
    }

    /// The same receipt, one time in three in a shape that the fast path leaves to OpenSSL.
    private func varied(_ bytes: [UInt8], _ generator: inout SeededGenerator) throws -> [UInt8] {
        guard generator.oneIn(3) else { return bytes }
        var receipt = try EditableReceipt(bytes)
        receipt.indefinite = []
        receipt.surplusLength[.signerInfos] = 1
        return receipt.encoded
    }
}
