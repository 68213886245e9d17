import AppAttest
import OpenSSL
import SimulatedDataServer
import TestSupport
import Verification

extension JudgePool {
    /// Receipts whose parts are there but do not belong together, or are too many.
    func makeMisshapen(_ stratum: Stratum, _ generator: inout SeededGenerator) throws -> JudgeCase {
        if stratum == .invalidSignedAttributes { return try makeInvalidAttributes(&generator) }
        if stratum == .tooLarge { return try makeTooLarge(&generator) }
        let template = template(&generator)
        let other = try otherSigner(than: template, &generator)
        return try makeCase(template, verdict(of: stratum), &generator) { receipt, generator in
            try misshape(&receipt, stratum, other, &generator)
        }
    }

    private func verdict(of stratum: Stratum) -> JudgeCase.Verdict {
        switch stratum {
        case .signerSwapped, .signerDropped, .unknownKeyIdentifier: .refused(.signerMissing)
        case .intermediateDropped: .refused(.chain)
        case .secondSigner: .refused(.signerCount)
        case .detached, .trailing, .nestedChunks: .refused(.envelope)
        case .certificateUnreadable: .refused(.malformed)
        case .revocationInformation: .accepted
        default: .refusedSomehow
        }
    }

    private func misshape(
        _ receipt: inout EditableReceipt, _ stratum: Stratum, _ other: EditableReceipt,
        _ generator: inout SeededGenerator
    ) throws {
        switch stratum {
        case .signerSwapped: receipt.certificates[0] = other.certificates[0]
        case .signerDropped: receipt.certificates.removeFirst()
        case .intermediateDropped: receipt.certificates.remove(at: 1)
        case .secondSigner:
            receipt.signers.append(generator.oneIn(2) ? receipt.signers[0] : other.signers[0])
            receipt.certificates.append(other.certificates[0])
        case .detached: receipt.content = nil
        case .trailing: receipt.trailing = (0...generator.pick(0..<4)).map { _ in UInt8(generator.pick(0..<256)) }
        case .nestedChunks:
            receipt.chunkSizes = receipt.chunkSizes ?? [500]
            receipt.nestsChunks = true
        case .certificateUnreadable:
            let noise = (0..<generator.pick(1..<60)).map { _ in UInt8(generator.pick(0..<256)) }
            let place = generator.pick(0..<receipt.certificates.count + 1)
            receipt.certificates.insert(TLV.definite(TLV.sequence, noise), at: place)
        case .unknownKeyIdentifier:
            receipt.signers[0].version = [0x02, 0x01, 0x03]
            receipt.signers[0].identifier = TLV.definite(0x80, (0..<20).map { _ in UInt8(generator.pick(0..<256)) })
        case .revocationInformation: receipt.revocationInformation = [0xa1, 0x00]
        default: break
        }
    }

    /// A valid receipt of another signer than the template's, genuine like it where there is one.
    private func otherSigner(
        than template: Template, _ generator: inout SeededGenerator
    ) throws -> EditableReceipt {
        let identifier = try EditableReceipt(template.bytes).signers[0].identifier
        while true {
            let other = try EditableReceipt(generator.pick(template.isGenuine ? genuine : minted).bytes)
            if other.signers[0].identifier != identifier { return other }
        }
    }

    private func makeInvalidAttributes(_ generator: inout SeededGenerator) throws -> JudgeCase {
        let template = generator.pick(minted)
        let signer = generator.pick(signers)
        return try makeCase(template, .refused(.signature), &generator) { receipt, generator in
            let content = receipt.content ?? []
            let kind = generator.pick(0..<3)
            // Another content's digest, signed well.
            let digest = SHA256.digest(kind == 0 ? content + [0] : content)
            try receipt.signAttributes(by: signer, digest: digest)
            switch kind {
            // As Apple's receipts of summer 2020: attributes are there, the signature is over the content.
            case 1: receipt.signers[0].signature = try signer.sign(content)
            // No attributes, but the signature is over some.
            case 2: receipt.signers[0].signedAttributes = nil
            default: break
            }
        }
    }

    private func makeTooLarge(_ generator: inout SeededGenerator) throws -> JudgeCase {
        try makeCase(template(&generator), .refused(.envelope), &generator) { receipt, generator in
            let size = generator.pick(65_536..<70_000)
            receipt.signers[0].unsignedAttributes = TLV.definite(
                0xa1,
                TLV.definite(
                    TLV.sequence,
                    TLV.hex("06 03 2a 03 04")
                        + TLV.definite(TLV.set, TLV.definite(TLV.octetString, Array(repeating: 0, count: size)))))
        }
    }
}
