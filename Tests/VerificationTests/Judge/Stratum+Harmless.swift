import AppAttest
import OpenSSL
import SimulatedDataServer
import TestSupport
import Testing
import Verification

extension JudgePool {
    /// Receipts written in another way than Apple's that say the same, signed by the same.
    func makeHarmless(_ stratum: Stratum, _ generator: inout SeededGenerator) throws -> JudgeCase {
        switch stratum {
        case .signedAttributes: return try makeSignedAttributes(&generator)
        case .fieldsReordered: return try makeReordered(&generator)
        case .subjectKeyIdentifier:
            return try makeCase(template(&generator), .accepted, &generator) { receipt, _ in
                receipt.version = [0x02, 0x01, 0x03]
                receipt.signers[0].version = [0x02, 0x01, 0x03]
                let key = try #require(subjectKeyIdentifier(of: receipt.certificates[0]))
                receipt.signers[0].identifier = TLV.definite(0x80, key)
            }
        default:
            return try makeCase(template(&generator), .accepted, &generator) { receipt, generator in
                try rewrite(&receipt, stratum, &generator)
            }
        }
    }

    private func rewrite(
        _ receipt: inout EditableReceipt, _ stratum: Stratum, _ generator: inout SeededGenerator
    ) throws {
        let size = receipt.content?.count ?? 0
        switch stratum {
        case .rechunked:
            // Now and then a boundary exactly at the end.
            let sizes = (0..<generator.pick(0..<40)).map { _ in generator.pick(1..<400) }
            receipt.chunkSizes = generator.oneIn(4) ? [size / 2, size - size / 2] : sizes
        case .onePiece: receipt.chunkSizes = generator.oneIn(2) ? nil : [size]
        case .definite:
            receipt.indefinite = []
            if generator.oneIn(2) { receipt.chunkSizes = nil }
        case .indefinite: receipt.indefinite = EditableReceipt.apple
        case .someIndefinite:
            receipt.indefinite = Set(EditableReceipt.Part.allCases.filter { _ in generator.oneIn(2) })
        case .longLengths:
            receipt.indefinite = []
            for _ in 0...generator.pick(0..<3) {
                receipt.surplusLength[generator.pick(EditableReceipt.Part.allCases)] = generator.pick(1..<3)
            }
        case .certificatesReordered: receipt.certificates.shuffle(using: &generator)
        case .certificateAdded:
            let donor = try EditableReceipt(template(&generator).bytes)
            let place = generator.pick(0..<receipt.certificates.count + 1)
            receipt.certificates.insert(generator.pick(donor.certificates), at: place)
        case .rootDropped: receipt.certificates.removeLast()
        case .unsignedAttributes:
            receipt.signers[0].unsignedAttributes = TLV.hex("a1 0b 30 09 06 03 2a 03 04 31 02 05 00")
        default: break
        }
    }

    private func makeSignedAttributes(_ generator: inout SeededGenerator) throws -> JudgeCase {
        let template = generator.pick(minted)
        let signer = generator.pick(signers)
        return try makeCase(template, .accepted, &generator) { receipt, _ in
            try receipt.signAttributes(by: signer, digest: SHA256.digest(receipt.content ?? []))
        }
    }

    private func makeReordered(_ generator: inout SeededGenerator) throws -> JudgeCase {
        let device = generator.pick(devices)
        var fields = JudgePool.content(device, kind: .receipt(riskMetric: 3), at: JudgePool.era).fields
        fields.shuffle(using: &generator)
        if generator.oneIn(2) { fields.append((number: 40, value: [1, 2, 3])) }
        let template = try Template(
            generator.pick(signers).envelope(ReceiptContent.encode(fields)), isGenuine: false)
        return makeCase(template, template.bytes, .accepted, &generator)
    }

    /// The content of a certificate's subject key identifier: the extension, an OCTET STRING in an OCTET STRING of 20.
    private func subjectKeyIdentifier(of certificate: [UInt8]) -> [UInt8]? {
        let header = TLV.hex("06 03 55 1d 0e 04 16 04 14")
        let starts = 0..<certificate.count - header.count - 20
        guard let start = starts.first(where: { certificate[$0..<$0 + header.count].elementsEqual(header) })
        else { return nil }
        return Array(certificate[start + header.count..<start + header.count + 20])
    }
}
