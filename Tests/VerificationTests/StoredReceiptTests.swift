import AppAttest
import OpenSSL
import SimulatedDataServer
import Testing
import Verification

@Suite("Stored receipts")
struct StoredReceiptTests {
    let mint: Mint

    init() throws {
        mint = try Mint()
    }

    @Test("a receipt is judged as of its creation, not as of now: its signer may have expired since")
    func expiredSigner() throws {
        let receipt = try mint.verifier.verifyStored(mint.receipt(), expecting: mint.expected())
        #expect(receipt.payload.riskMetric == 2)
        let report = mint.verifier.report(try mint.receipt(), at: Mint.instant + .days(400))
        #expect(report.failure?.word == "chain")
        #expect(report.failure?.description.contains("certificate has expired") == true)
    }

    @Test("neither encoding nor chunks change what is read", arguments: [nil, [1], [1000], [499, 1, 500]])
    func encodings(chunks: [Int]?) throws {
        var editable = try EditableReceipt(mint.receipt().bytes)
        editable.chunkSizes = chunks
        let plain = try mint.verifier.verifyStored(mint.receipt(), expecting: mint.expected())
        for indefinite in [EditableReceipt.apple, [], [.encapsulated, .contentWrapper, .content]] {
            editable.indefinite = indefinite
            let bytes = ReceiptBytes(editable.encoded)
            let receipt = try mint.verifier.verifyStored(bytes, expecting: mint.expected())
            #expect(receipt.payload == plain.payload)
            #expect(receipt.digest == SHA256Digest(hashing: bytes.bytes))
        }
    }

    @Test("the metric that was not signed is not believed")
    func changedMetric() throws {
        var editable = try EditableReceipt(mint.receipt().bytes)
        let genuine = mint.content().encoded
        let changed = mint.content(kind: .receipt(riskMetric: 1)).encoded
        #expect(editable.content == genuine)
        editable.content = changed
        #expect(throws: VerificationFailure.signature(reason: "ECDSA with SHA-256")) {
            try mint.verifier.verifyStored(ReceiptBytes(editable.encoded), expecting: mint.expected())
        }
    }

    @Test("a known signer is not believed beyond the end of its chain, nor before its beginning")
    func cachedValidity() throws {
        let verifier = mint.verifier
        let expected = try mint.expected()
        _ = try verifier.verifyStored(mint.receipt(), expecting: expected)
        let last = Mint.signerEnd.adding(seconds: -1)
        _ = try verifier.verifyStored(mint.receipt(at: last), expecting: expected)
        for time in [Mint.signerEnd, Mint.signerEnd.adding(days: 40), Mint.time.adding(days: -301)] {
            let failure = #expect(throws: VerificationFailure.self) {
                try verifier.verifyStored(mint.receipt(at: time), expecting: expected)
            }
            #expect(failure?.word == "chain", "\(time)")
        }
    }

    @Test(
        "an anchor that has expired or is not valid yet ends no chain",
        arguments: [(-10, 10, nil), (-10, 0, "chain"), (1, 10, "chain")] as [(Int64, Int64, String?)])
    func anchorValidity(begin: Int64, end: Int64, expected: String?) throws {
        // The simulator's root with another validity: the key and the name are what counts.
        let root = try Certificate(der: mint.pki.receiptRoot.certificate)
        let key = try #require(root.publicKey)
        let name = try #require(root.facts?.subject).split(separator: ",").reversed().map { part in
            let halves = part.split(separator: "=").map(String.init)
            return AnchorFacts.NamePart(halves[0], halves[1])
        }
        let anchor = try Certificate(
            anchor: AnchorFacts(
                subject: name, curve: key.curve, publicPoint: key.point(),
                notBefore: Mint.instant.seconds + begin, notAfter: Mint.instant.seconds + end))
        let verifier = ReceiptVerifier(trusting: try TrustAnchors(pem: Mint.pem(anchor.der)))
        let report = verifier.report(try mint.receipt())
        #expect(report.failure?.word == expected)
        if expected != nil { #expect(report.failure?.description.contains("valid (at depth 2)") == (begin > 0)) }
        if expected != nil { #expect(report.failure?.description.contains("expired (at depth 2)") == (end <= 0)) }
    }

    @Test("a blocked signer is refused, also one that is known already; the others are not")
    func blocked() throws {
        let known = try mint.verifier.verifyStored(mint.receipt(), expecting: mint.expected())
        let serial = SerialNumber(known.signerSerial)
        let verifier = ReceiptVerifier(trusting: mint.anchors, blockedSigners: [serial])
        for _ in 0..<2 {
            #expect(throws: VerificationFailure.signerBlocked(serial: serial.description)) {
                try verifier.verifyStored(mint.receipt(), expecting: mint.expected())
            }
        }
        let other = try mint.pki.makeSigner(
            notBefore: Mint.time.adding(days: -10), notAfter: Mint.time.adding(days: 10))
        _ = try verifier.verifyStored(mint.receipt(by: other), expecting: mint.expected())
    }

    @Test("a signer without the marker is refused, whichever way its receipt is written")
    func unmarked() throws {
        let signer = try mint.pki.makeSigner(
            notBefore: Mint.time.adding(days: -10), notAfter: Mint.time.adding(days: 10), marked: false)
        var editable = try EditableReceipt(mint.receipt(by: signer).bytes)
        let apple = ReceiptBytes(editable.encoded)
        editable.indefinite = []
        editable.surplusLength[.signerInfo] = 1
        for bytes in [apple, ReceiptBytes(editable.encoded)] {
            let failure = #expect(throws: VerificationFailure.self) {
                try mint.verifier.verifyStored(bytes, expecting: mint.expected())
            }
            #expect(failure?.word == "signer_not_marked")
        }
    }

    @Test("a signer that may only agree on keys is refused, though its chain and marker are good")
    func purpose() throws {
        let signer = try mint.pki.makeSigner(
            notBefore: Mint.time.adding(days: -10), notAfter: Mint.time.adding(days: 10), forSigning: false)
        let report = mint.verifier.report(try mint.receipt(by: signer))
        #expect(report.failure?.word == "chain")
        #expect(report.failure?.description.contains("unsuitable certificate purpose") == true)
    }

    @Test(
        "fault 11: a signer's extended key usage, where there is one, must allow e-mail protection",
        arguments: [
            ([], true), ([.emailProtection], true), ([.codeSigning, .emailProtection], true), ([.codeSigning], false),
            ([.serverAuthentication], false),
        ] as [([KeyPurpose], Bool)])
    func extendedKeyUsage(purposes: [KeyPurpose], isGood: Bool) throws {
        let signer = try mint.pki.makeSigner(
            notBefore: Mint.time.adding(days: -10), notAfter: Mint.time.adding(days: 10), purposes: purposes)
        var editable = try EditableReceipt(mint.receipt(by: signer).bytes)
        let apple = editable.encoded
        editable.surplusLength[.signerInfo] = 1
        for bytes in [apple, editable.encoded] {
            let report = mint.verifier.report(ReceiptBytes(bytes))
            #expect(report.isValid == isGood)
            guard !isGood else { continue }
            #expect(report.failure?.word == "chain")
            #expect(report.failure?.description.contains("unsuitable certificate purpose") == true)
        }
    }

    @Test("signed attributes are taken when the signature is over them, never when it is over the content")
    func signedAttributes() throws {
        var editable = try EditableReceipt(mint.receipt().bytes)
        let content = try #require(editable.content)
        try editable.signAttributes(by: mint.signer, digest: SHA256.digest(content))
        _ = try mint.verifier.verifyStored(ReceiptBytes(editable.encoded), expecting: mint.expected())
        editable.signers[0].signature = try mint.signer.sign(content)
        let failure = #expect(throws: VerificationFailure.self) {
            try mint.verifier.verifyStored(ReceiptBytes(editable.encoded), expecting: mint.expected())
        }
        #expect(failure?.word == "signature")
    }

    @Test("age does not matter: an ATTEST receipt of four years ago is taken")
    func old() throws {
        let time = Mint.time.adding(days: -1_461)
        let signer = try mint.pki.makeSigner(notBefore: time.adding(days: -10), notAfter: time.adding(days: 10))
        let receipt = try mint.verifier.verifyStored(
            mint.receipt(kind: .attest, at: time, by: signer), expecting: mint.expected())
        #expect(receipt.payload.riskMetric == nil)
        #expect(receipt.payload.notBefore == nil)
    }

    @Test("the embedded root is never believed: a world of its own is refused")
    func foreignWorld() throws {
        let failure = #expect(throws: VerificationFailure.self) {
            try mint.verifier.verifyStored(Mint().receipt(), expecting: mint.expected())
        }
        #expect(failure?.word == "chain")
    }
}
