import AppAttest
import TestSupport

extension JudgePool {
    /// Receipts that something has happened to.
    func makeDamaged(_ stratum: Stratum, _ generator: inout SeededGenerator) throws -> JudgeCase {
        let template = template(&generator)
        var bytes = template.bytes
        let receipt = try SignedReceipt(reading: bytes)
        let whole = bytes.indices
        switch stratum {
        case .bitFlipped:
            for _ in 0...generator.pick(0..<3) { flip(&bytes, whole, &generator) }
        case .contentFlipped:
            return try makeCase(template, .refusedSomehow, &generator) { receipt, generator in
                var content = receipt.content ?? []
                flip(&content, content.indices, &generator)
                receipt.content = content
            }
        case .signatureFlipped: flip(&bytes, receipt.signers[0].signature, &generator)
        case .identifierFlipped: flip(&bytes, receipt.signers[0].signerIdentifierRange, &generator)
        case .signerCertificateFlipped: flip(&bytes, receipt.certificates[0], &generator)
        case .otherCertificateFlipped:
            flip(&bytes, generator.pick(Array(receipt.certificates.dropFirst())), &generator)
        case .truncated: bytes.removeLast(generator.pick(1..<bytes.count))
        case .bytesReplaced:
            let start = generator.pick(whole)
            for index in start..<min(start + generator.pick(1..<16), bytes.count) {
                bytes[index] = UInt8(generator.pick(0..<256))
            }
        case .bytesInserted:
            let noise = (0...generator.pick(0..<4)).map { _ in UInt8(generator.pick(0..<256)) }
            bytes.insert(contentsOf: noise, at: generator.pick(whole))
        case .bytesRemoved:
            let start = generator.pick(whole)
            bytes.removeSubrange(start..<min(start + generator.pick(1..<5), bytes.count))
        default: break
        }
        return makeCase(template, bytes, .either, &generator)
    }

    private func flip(_ bytes: inout [UInt8], _ range: Range<Int>, _ generator: inout SeededGenerator) {
        bytes[generator.pick(range)] ^= 1 << UInt8(generator.pick(0..<8))
    }
}
