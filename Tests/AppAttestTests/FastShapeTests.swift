import AppAttest
import Testing

@Suite("The fast shape")
struct FastShapeTests {
    /// An envelope with one thing changed, and the point of departure that has to be told.
    struct Departure: CustomTestStringConvertible {
        let testDescription: String
        let expected: ShapeDeparture
        let envelope: MintedEnvelope

        init(_ name: String, _ expected: ShapeDeparture, _ change: (inout MintedEnvelope) -> Void) {
            testDescription = name
            self.expected = expected
            var envelope = MintedEnvelope()
            change(&envelope)
            self.envelope = envelope
        }
    }

    static let certificatesAndSigners: [Departure] = [
        Departure("SignedData v3", .signedDataVersion(found: 3)) { $0.version = [2, 1, 3] },
        Departure("no digest algorithm", .digestAlgorithms(count: 0)) { $0.digestAlgorithms = [] },
        Departure("two digest algorithms", .digestAlgorithms(count: 2)) {
            $0.digestAlgorithms.append(MintedEnvelope.sha384)
        },
        Departure("SHA-384 announced", .digestAlgorithms(count: 1)) { $0.digestAlgorithms = [MintedEnvelope.sha384] },
        Departure("content of another type", .contentType) { $0.contentType[10] = 3 },
        Departure("no certificates field", .noCertificates) { $0.certificates = nil },
        Departure("empty certificates field", .noCertificates) { $0.certificates = [] },
        Departure("attribute certificate", .otherCertificateChoice) { $0.certificates?.append([0xa1, 2, 5, 0]) },
        Departure("indefinite certificate", .indefiniteLength(.certificates)) {
            $0.certificates?[2] = sequence([5, 0], length: .indefinite)
        },
        Departure("revocation lists", .revocationInformation) { $0.revocation = [0xa1, 2, 0x30, 0] },
        Departure("no signer", .signerCount(found: 0)) { $0.signers = [] },
        Departure("two signers", .signerCount(found: 2)) { $0.signers.append($0.signers[0]) },
        Departure("indefinite signerInfos", .indefiniteLength(.signerInfos)) { $0.signerInfos = .indefinite },
        Departure("long inner lengths", .longLength(.contentInfo)) { $0.inner = .long(4) },
        Departure("a long outer length", .longLength(.contentInfo)) { $0.outer = .long(4) },
    ]

    static let signer: [Departure] = [
        Departure("SignerInfo v3", .signerInfoVersion(found: 3)) { $0.signers[0].version = [2, 1, 3] },
        Departure("subject key identifier", .subjectKeyIdentifier) { $0.signers[0].identifier = ber(0x80, [1, 2]) },
        Departure("padded serial number", .serialNumber) {
            $0.signers[0].identifier = sequence(sequence(), [2, 2, 0, 1])
        },
        Departure("empty serial number", .serialNumber) { $0.signers[0].identifier = sequence(sequence(), [2, 0]) },
        Departure("SHA-384 by the signer", .digestAlgorithm) { $0.signers[0].digestAlgorithm = MintedEnvelope.sha384 },
        Departure("signed attributes", .signedAttributes) { $0.signers[0].signedAttributes = [0xa0, 2, 0x30, 0] },
        Departure("SHA-256 for a signature", .signatureAlgorithm) {
            $0.signers[0].signatureAlgorithm = MintedEnvelope.sha256
        },
        Departure("parameters of ecdsa-with-SHA256", .signatureAlgorithm) {
            $0.signers[0].signatureAlgorithm = sequence([6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2], [5, 0])
        },
        Departure("unsigned attributes", .unsignedAttributes) {
            $0.signers[0].unsignedAttributes = [0xa1, 2, 0x30, 0]
        },
        Departure("indefinite SignerInfo", .indefiniteLength(.signerInfo)) { $0.signers[0].length = .indefinite },
        Departure("long length of a signature", .longLength(.signature)) {
            $0.signers[0].signature = ber(0x04, Array(1...70), .long(1))
        },
    ]

    @Test(
        "each departure from Apple's shape is told, and the envelope is still read",
        arguments: certificatesAndSigners + signer)
    func departures(departure: Departure) throws {
        let receipt = try SignedReceipt(reading: departure.envelope.written)
        #expect(receipt.fastShape == .departs(departure.expected))
        #expect(receipt.content == departure.envelope.content)
    }

    @Test("digest parameters may be absent or NULL")
    func digestParameters() throws {
        var envelope = MintedEnvelope()
        let bare = sequence([6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1])
        envelope.digestAlgorithms = [bare]
        envelope.signers[0].digestAlgorithm = bare
        #expect(try SignedReceipt(reading: envelope.written).fastShape == .exact)
        envelope.digestAlgorithms = [sequence([6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1], [4, 0])]
        #expect(try SignedReceipt(reading: envelope.written).fastShape == .departs(.digestAlgorithms(count: 1)))
    }
}
