import AppAttest
import OpenSSL
import Testing
import Verification

@Suite("Trust anchors")
struct TrustAnchorTests {
    /// Apple's certificate, its SHA-256, and what this project believes of it.
    struct Root: CustomStringConvertible {
        let file: String
        let digest: String
        let facts: AnchorFacts

        var description: String { file }
    }

    static let roots = [
        Root(
            file: "AppleRootCA-G3.pem", digest: "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179",
            facts: AppleRoots.receipts),
        Root(
            file: "Apple_App_Attestation_Root_CA.pem",
            digest: "1cb9823ba28ba6ad2d33a006941de2ae4f513ef1d4e831b9f7e0fa7b6242c932", facts: AppleRoots.attestations),
    ]

    @Test("facts are those of Apple's certificate", .needsGenuineReceipts, arguments: roots)
    func facts(root: Root) throws {
        let genuine = try #require(try Certificate.reading(pem: GenuineReceipts.root(root.file)).first)
        #expect(SHA256Digest(hashing: genuine.der).bytes == SerialNumber(hexadecimal: root.digest)?.bytes)
        let built = try Certificate(anchor: root.facts)
        let expected = try #require(genuine.facts)
        let found = try #require(built.facts)
        #expect(found.subject == expected.subject)
        #expect(built.hasSubject(of: genuine))
        let builtKey = try #require(built.publicKey)
        let genuineKey = try #require(genuine.publicKey)
        #expect(try builtKey.point() == genuineKey.point())
        #expect(built.publicKey?.curve == genuine.publicKey?.curve)
        #expect(found.notBefore == expected.notBefore)
        #expect(found.notAfter == expected.notAfter)
    }

    @Test("the root for attestations refuses receipts and the message says which root was tried", .needsGenuineReceipts)
    func wrongRoot() throws {
        let verifier = ReceiptVerifier(trusting: try .appleAttestations())
        let sample = try #require(try GenuineReceipts.all().first { $0.isValid })
        let failure = try #require(verifier.report(sample.bytes).failure)
        #expect(failure.word == "chain")
        #expect(failure.description.contains("\"ST=California,O=Apple Inc.,CN=Apple App Attestation Root CA\""))
    }

    @Test("Apple's root given as a PEM file verifies too and is named as a replacement", .needsGenuineReceipts)
    func configured() throws {
        let anchors = try TrustAnchors(pem: GenuineReceipts.root("AppleRootCA-G3.pem"))
        #expect(anchors.areReplaced)
        #expect(anchors.names == (try TrustAnchors.appleReceipts().names))
        let sample = try #require(try GenuineReceipts.all().first { $0.isValid })
        #expect(ReceiptVerifier(trusting: anchors).report(sample.bytes).isValid)
    }

    @Test("a file without a certificate is refused")
    func nothing() {
        #expect(throws: TrustAnchorError.self) { try TrustAnchors(pem: Array("no certificate".utf8)) }
        #expect(throws: TrustAnchorError.self) { try TrustAnchors(pem: []) }
    }
}
