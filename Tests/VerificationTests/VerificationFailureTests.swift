import AppAttest
import SimulatedDataServer
import Testing
import Verification

@Suite("Failures in words")
struct VerificationFailureTests {
    @Test("the failed step is reported, the steps behind it are not reached, and values are still there")
    func report() throws {
        let mint = try Mint()
        var editable = try EditableReceipt(mint.receipt().bytes)
        editable.signers[0].signature[editable.signers[0].signature.count - 1] ^= 1
        let report = mint.verifier.report(ReceiptBytes(editable.encoded), appID: AppID("ABCDE12345.com.example.app"))
        #expect(!report.isValid)
        #expect(report.steps.map(\.step) == [.envelope, .signature, .chain, .signer, .payload, .appID, .key])
        #expect(
            report.steps.map(\.outcome)
                == [.passed, .failed, .notReached, .notReached, .notReached, .notReached, .notReached])
        #expect(report.payload?.riskMetric == 2)
        #expect(report.keyID?.bytes == mint.device.keyID)
        #expect(report.certificates.count == 3)
        #expect(report.encoding == .berIndefinite)
    }

    @Test("certificates are named by their part and not by their place", arguments: [false, true])
    func reordered(byMessage: Bool) throws {
        let mint = try Mint()
        var editable = try EditableReceipt(mint.receipt().bytes)
        editable.certificates.reverse()
        if byMessage { editable.surplusLength[.signerInfo] = 1 }
        let bytes = ReceiptBytes(editable.encoded)
        let names = ["Fraud Receipt Signing", "Application Integration CA", "Receipt Root CA"]

        let good = mint.verifier.report(bytes)
        #expect(good.isValid)
        #expect(good.certificates.map(\.role) == [.signer, .issuer, .issuer])
        for (certificate, name) in zip(good.certificates, names) { #expect(certificate.subject.contains(name)) }

        let foreign = try Mint().verifier.report(bytes)
        #expect(foreign.failure?.word == "chain")
        #expect(foreign.certificates.map(\.role) == [byMessage ? .namedSigner : .signer, .embedded, .embedded])
        for (certificate, name) in zip(foreign.certificates, [names[0], names[2], names[1]]) {
            #expect(certificate.subject.contains(name))
        }

        editable.certificates.removeLast()
        let without = mint.verifier.report(ReceiptBytes(editable.encoded))
        #expect(without.failure?.word == "signer_missing")
        #expect(without.certificates.map(\.role) == [.embedded, .embedded])
    }

    @Test("a report compares the app where one is named")
    func app() throws {
        let mint = try Mint()
        let report = mint.verifier.report(try mint.receipt(), appID: AppID("ABCDE12345.com.example.other"))
        #expect(report.failure?.word == "app_id")
        #expect(
            report.failure?.description
                == "expected a receipt of app ABCDE12345.com.example.other, found one of ABCDE12345.com.example.app")
        #expect(report.time == Mint.instant)
    }

    @Test("bytes that are no receipt give a report without values")
    func nothing() throws {
        let report = try Mint().verifier.report(ReceiptBytes([0x31, 0x00]))
        #expect(report.failure?.step == .envelope)
        #expect(report.payload == nil)
        #expect(report.certificates.isEmpty)
    }

    @Test(
        "serial numbers are read as people write them",
        arguments: [("00:Af:01", [0xaf, 0x01]), ("1", [1]), ("af01", [0xaf, 0x01])] as [(String, [UInt8])])
    func serial(text: String, bytes: [UInt8]) {
        #expect(SerialNumber(hexadecimal: text)?.bytes == bytes)
        #expect(SerialNumber(hexadecimal: "0x" + text) == nil)
        #expect(SerialNumber(hexadecimal: "") == nil)
    }
}
