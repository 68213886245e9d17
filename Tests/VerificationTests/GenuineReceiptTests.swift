import AppAttest
import Testing
import Verification

@Suite("Genuine receipts")
struct GenuineReceiptTests {
    @Test("every valid one is accepted, years after its signer has expired", .needsGenuineReceipts)
    func accepted() throws {
        let verifier = ReceiptVerifier(trusting: try .appleReceipts())
        let samples = try GenuineReceipts.all().filter(\.isValid)
        #expect(samples.count > 30)
        // Twice: the second time every signer is known.
        for sample in samples + samples {
            let receipt = try verifier.verifyStored(sample.bytes, expecting: sample.expectation())
            #expect(receipt.payload.type.rawValue == sample.facts.receiptType, "\(sample)")
            #expect(receipt.bytes == sample.bytes)
            let serial = try #require(sample.facts.certificates?.first?.serial)
            #expect(SerialNumber(receipt.signerSerial) == SerialNumber(hexadecimal: serial), "\(sample)")
        }
    }

    @Test("every other one is refused for its own reason", .needsGenuineReceipts)
    func refused() throws {
        let verifier = ReceiptVerifier(trusting: try .appleReceipts())
        let samples = try GenuineReceipts.all().filter { !$0.isValid }
        #expect(samples.count > 5)
        for sample in samples {
            let word =
                sample.facts.opensslCmsVerify?.atCreationError == "verification failure" ? "signature" : "chain"
            do {
                _ = try verifier.verifyStored(sample.bytes, expecting: sample.expectation())
                Issue.record("\(sample) is accepted")
            } catch let failure as VerificationFailure {
                #expect(failure.word == word, "\(sample): \(failure)")
            }
        }
    }

    @Test("a report names the chain, the key and every step", .needsGenuineReceipts)
    func reports() throws {
        let verifier = ReceiptVerifier(trusting: try .appleReceipts())
        for sample in try GenuineReceipts.all() {
            let report = verifier.report(sample.bytes)
            #expect(report.isValid == sample.isValid, "\(sample)")
            #expect(report.steps.allSatisfy { $0.outcome == .passed } == sample.isValid)
            #expect(report.steps.first { $0.outcome == .failed }?.step == report.failure?.step)
            #expect(report.encoding?.rawValue == sample.facts.encoding)
            #expect(try report.keyID == sample.expectation().keyID)
            let facts = try #require(sample.facts.certificates)
            #expect(report.certificates.first?.subject == facts.first?.subject)
            #expect(report.certificates.first?.notAfter.rfc3339 == facts.first?.notAfter)
            #expect(
                report.certificates.map(\.serial).prefix(2)
                    == facts.map { SerialNumber(hexadecimal: $0.serial) }.prefix(2))
        }
    }
}
