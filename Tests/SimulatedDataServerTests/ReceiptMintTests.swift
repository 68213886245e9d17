import OpenSSL
import SimulatedDataServer
import TestSupport
import Testing

@Suite("Minted receipts")
struct ReceiptMintTests {
    static let appID = "A1B2C3D4E5.example.app"

    /// A kind of receipt and when it was made: both kinds, fractions of every length, both sides of a signer's change.
    struct Sample: CustomTestStringConvertible {
        let kind: ReceiptContent.Kind
        let time: String
        var testDescription: String { "\(kind) at \(time)" }
    }

    static let samples: [Sample] = [
        Sample(kind: .attest, time: "2026-11-30T11:30:00.624Z"),
        Sample(kind: .attest, time: "2026-02-28T23:59:59Z"),
        Sample(kind: .receipt(riskMetric: 1), time: "2026-11-30T11:30:00.46Z"),
        Sample(kind: .receipt(riskMetric: 12), time: "2026-12-29T23:59:59.999Z"),
        Sample(kind: .receipt(riskMetric: 345), time: "2026-12-30T00:00:00.1Z"),
        Sample(kind: .receipt(riskMetric: nil), time: "2028-02-29T12:00:00.001Z"),
    ]

    private func content(_ sample: Sample, _ pki: SimulatedPKI) throws -> ReceiptContent {
        let time = try #require(SimulatedTime(text: sample.time))
        let key = try pki.attestKey(appID: Self.appID, at: time)
        return ReceiptContent(
            appID: Self.appID, certificate: key.certificate, clientHash: key.clientHash, token: key.token,
            environment: .development, creationTime: time, kind: sample.kind)
    }

    @Test("every kind passes openssl cms -verify with its content", arguments: samples)
    func verifies(sample: Sample) throws {
        var pki = try SimulatedPKI()
        let content = try content(sample, pki)
        let receipt = try pki.signer(at: content.creationTime).envelope(content.encoded)
        let result = try verifyWithOpenSSL(receipt, anchor: pki.receiptRoot.certificate, at: content.creationTime)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output == content.encoded)
    }

    @Test("the wrong root, a foreign signature and a changed metric do not pass")
    func refuses() throws {
        var pki = try SimulatedPKI()
        let content = try content(Self.samples[2], pki)
        let time = content.creationTime
        let signer = try pki.signer(at: time)
        let receipt = try signer.envelope(content.encoded)
        #expect(try verifyWithOpenSSL(receipt, anchor: pki.attestationRoot.certificate, at: time).status != 0)
        var other = content
        other.kind = .receipt(riskMetric: 2)
        let changed = signer.envelope(other.encoded, signature: try signer.sign(content.encoded))
        #expect(try verifyWithOpenSSL(changed, anchor: pki.receiptRoot.certificate, at: time).status != 0)
        #expect(
            try verifyWithOpenSSL(receipt, anchor: pki.receiptRoot.certificate, at: time.adding(days: 396)).status != 0)
    }

    @Test("content comes in pieces of 1000 octets and what remains, lengths are indefinite")
    func shape() throws {
        var pki = try SimulatedPKI()
        let content = try content(Self.samples[2], pki)
        let size = content.encoded.count
        #expect(size > 1000)
        let scratch = try Scratch()
        let file = try scratch.write("r.der", try pki.signer(at: content.creationTime).envelope(content.encoded))
        let lines = try runTool("openssl", ["asn1parse", "-inform", "DER", "-in", file]).text.split(separator: "\n")
        let pieces = lines.filter { $0.contains("d=6 ") && $0.contains("OCTET STRING") }
        #expect(pieces.count == (size + 999) / 1000)
        #expect(pieces.first?.contains("l=1000") == true)
        #expect(pieces.last?.contains("l= \(size % 1000)") == true)
        #expect(lines.first?.contains("l=inf") == true)
        #expect(lines.filter { $0.contains("l=inf") }.count == 7)
        // CMSVersion, and the SignerInfo's own: both 1.
        #expect(lines.contains { $0.contains("d=3 ") && $0.hasSuffix(":01") })
        #expect(!lines.contains { $0.contains("signingTime") || $0.contains("messageDigest") })
        #expect(lines.contains { $0.contains("1.2.840.113635.100.12.15") })
        #expect(lines.contains { $0.contains("1.2.840.113635.100.6.2.3") })
    }

    @Test("fields stand in Apple's order, field 4 of a RECEIPT is mangled text")
    func fields() throws {
        let pki = try SimulatedPKI()
        let attest = try content(Self.samples[0], pki)
        var receipt = attest
        receipt.kind = .receipt(riskMetric: 12)
        #expect(attest.fields.map(\.number) == [2, 3, 4, 5, 6, 7, 12, 21])
        #expect(receipt.fields.map(\.number) == [17, 6, 2, 3, 4, 5, 7, 12, 19, 21])
        #expect(receipt.fields[0].value == Array("12".utf8))
        #expect(attest.fields[2].value == attest.clientHash)
        receipt.clientHash = [0x41, 0xc3, 0x28, 0xff]
        #expect(receipt.fields[4].value == [0x41, 0xef, 0xbf, 0xbd, 0x28, 0xef, 0xbf, 0xbd])
        #expect(attest.token.count == 88)
        #expect(receipt.notBefore == receipt.creationTime.adding(seconds: 86_400))
    }

    @Test("attested certificates chain to the attestation root and hold the key that the identifier names")
    func attestedCertificate() throws {
        let pki = try SimulatedPKI()
        let time = try #require(SimulatedTime(text: "2026-11-30T11:30:00Z"))
        let key = try pki.attestKey(appID: Self.appID, at: time)
        let scratch = try Scratch()
        func file(_ name: String, _ der: [UInt8]) throws -> String {
            try scratch.write(name, Array(PEM.encode("CERTIFICATE", der).utf8))
        }
        let leaf = try file("leaf.pem", key.certificate)
        let result = try runTool(
            "openssl",
            [
                "verify", "-x509_strict", "-attime", String(time.seconds),
                "-CAfile", try file("root.pem", pki.attestationRoot.certificate),
                "-untrusted", try file("ca.pem", pki.attestationIntermediate.certificate), leaf,
            ])
        #expect(result.status == 0, "\(result.errors)")
        let publicKey = try runTool("openssl", ["x509", "-in", leaf, "-noout", "-pubkey"]).text
        let der = try #require(PEM.decode("PUBLIC KEY", in: publicKey))
        #expect(SHA256.digest(Array(der.suffix(65))) == key.keyID)
    }

    @Test("signers follow each other a month before the old one's end")
    func signerChange() throws {
        var pki = try SimulatedPKI()
        let before = try pki.signer(at: try #require(SimulatedTime(text: "2026-12-29T23:59:59.999Z")))
        let after = try pki.signer(at: try #require(SimulatedTime(text: "2026-12-30T00:00:00Z")))
        let same = try pki.signer(at: try #require(SimulatedTime(text: "2027-12-29T00:00:00Z")))
        #expect(before.certificates[0] != after.certificates[0])
        #expect(before.certificates.dropFirst() == after.certificates.dropFirst())
        #expect(after.certificates == same.certificates)
    }

    @Test("times are written as Apple writes them and read back", arguments: samples.map(\.time))
    func times(text: String) throws {
        #expect(try #require(SimulatedTime(text: text)).text == text)
    }

    @Test(
        "times that Apple does not write are refused",
        arguments: ["2026-11-30T11:30:00.460Z", "2026-02-29T00:00:00Z", "2026-11-30T11:30:00", "", "Z"])
    func badTimes(text: String) {
        #expect(SimulatedTime(text: text) == nil)
    }

    @Test("the Date header's form")
    func httpDate() {
        #expect(SimulatedTime(seconds: 784_111_777).httpDate == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(SimulatedTime(seconds: 0).httpDate == "Thu, 01 Jan 1970 00:00:00 GMT")
    }
}
