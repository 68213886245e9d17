import OpenSSL
import Testing

@Suite("Certificates and chains")
struct CertificateTests {
    /// An anchor on a new key, valid for the seconds 1000 to 2000.
    private func anchor(_ name: String = "A root, of tests") throws -> Certificate {
        try Certificate(
            anchor: AnchorFacts(
                subject: [.init("CN", name), .init("O", "Tests"), .init("C", "US")], curve: .p384,
                publicPoint: ECPrivateKey(generatingOn: .p384).publicPoint(), notBefore: 1_000, notAfter: 2_000))
    }

    @Test("an anchor says what its facts say, and survives being written and read")
    func facts() throws {
        let made = try anchor()
        let facts = try #require(made.facts)
        #expect(facts.subject == #"C=US,O=Tests,CN=A root\, of tests"#)
        #expect(facts.issuer == facts.subject)
        #expect(facts.serial == [1])
        #expect(facts.notBefore == 1_000)
        #expect(facts.notAfter == 2_000)
        #expect(try Certificate(der: made.der).facts == facts)
        #expect(made.hasExtension("2.5.29.19"))
        #expect(!made.hasExtension("2.5.29.37"))
        #expect(!made.hasExtension("no identifier"))
    }

    @Test("a certificate has to fill its octets exactly")
    func trailing() throws {
        let der = try anchor().der
        #expect(throws: OpenSSLError.self) { try Certificate(der: der + [0]) }
        #expect(throws: OpenSSLError.self) { try Certificate(der: der.dropLast()) }
        #expect(throws: OpenSSLError.self) { try Certificate(der: []) }
    }

    @Test("a certificate is valid from its first second to the one before its last")
    func validity() throws {
        let facts = try #require(anchor().facts)
        #expect([999, 1_000, 1_999, 2_000].map(facts.isValid) == [false, true, true, false])
    }

    @Test("an authority is no signer")
    func purpose() throws {
        let root = try anchor()
        let error = #expect(throws: ChainError.self) {
            try CertificateChain(leaf: root, untrusted: [], anchors: [root], at: 1_500)
        }
        #expect(error?.text == "unsuitable certificate purpose")
    }

    @Test("what is only sent along is not trusted, and the error says where the chain broke")
    func untrusted() throws {
        let root = try anchor()
        let error = #expect(throws: ChainError.self) {
            try CertificateChain(leaf: root, untrusted: [root], anchors: [anchor("Another")], at: 1_500)
        }
        #expect(error?.depth == 0)
        #expect(error?.text.contains("self-signed certificate") == true)
    }

    @Test("noise is no CMS message, and leaves no reasons behind")
    func noise() throws {
        #expect(throws: CMS.Failure.self) { try CMS.verify([0x30, 0x80], anchors: [anchor()], at: 1_500) }
        #expect(OpenSSLError(call: "nothing").reasons.isEmpty)
    }
}
