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
