import AppAttest
import Testing

@Suite("The envelope")
struct EnvelopeTests {
    @Test("content in BER chunks that cut a certificate in two is joined, as Apple sends it")
    func indefiniteAndChunked() throws {
        let envelope = MintedEnvelope()
        let receipt = try SignedReceipt(reading: envelope.written)
        #expect(receipt.content == envelope.content)
        #expect(receipt.contentChunks == [1_000, envelope.content.count - 1_000])
        #expect(receipt.encoding == .berIndefinite)
        #expect(receipt.fastShape == .exact)
        let certificate = try ReceiptPayload(reading: receipt.content).attestedCertificate
        #expect(certificate == sequence(ber(0x04, [UInt8](repeating: 7, count: 900))))
    }

    @Test("the same in DER, in one piece")
    func der() throws {
        let receipt = try SignedReceipt(reading: MintedEnvelope.der.written)
        #expect(receipt.content == MintedEnvelope().content)
        #expect(receipt.contentChunks == nil)
        #expect(receipt.encoding == .der)
        #expect(receipt.fastShape == .exact)
    }

    @Test("definite outside and indefinite inside is read, as mixed BER")
    func definiteOutsideIndefiniteInside() throws {
        var envelope = MintedEnvelope()
        envelope.outer = .definite
        let receipt = try SignedReceipt(reading: envelope.written)
        #expect(receipt.content == envelope.content)
        #expect(receipt.encoding == .ber)
        #expect(receipt.fastShape == .exact)
    }

    @Test("definite chunks and needless length octets are BER, not DER")
    func definiteButNotDER() throws {
        var chunked = MintedEnvelope.der
        chunked.chunkSize = 100
        let receipt = try SignedReceipt(reading: chunked.written)
        #expect(receipt.encoding == .ber)
        #expect(receipt.content == chunked.content)
        #expect(receipt.fastShape == .exact)

        var long = MintedEnvelope.der
        long.inner = .long(4)
        #expect(try SignedReceipt(reading: long.written).encoding == .ber)
        #expect(try SignedReceipt(reading: long.written).content == long.content)

        var deep = MintedEnvelope.der
        deep.certificates?[1] = sequence(ber(0x04, [1], .long(2)))
        #expect(try SignedReceipt(reading: deep.written).encoding == .ber)
    }

    @Test("content that ends exactly at a chunk boundary is whole", arguments: [1, 2, 3])
    func contentAtChunkBoundary(chunks: Int) throws {
        var envelope = MintedEnvelope()
        envelope.content = [UInt8](repeating: 0, count: chunks * 1_000)
        let receipt = try SignedReceipt(reading: envelope.written)
        #expect(receipt.content == envelope.content)
        #expect(receipt.contentChunks == [Int](repeating: 1_000, count: chunks))
        // A last chunk without octets, as a writer that flushes twice leaves it.
        envelope.contentElement = ber(0x24, ber(0x04, envelope.content) + [4, 0], .indefinite)
        #expect(try SignedReceipt(reading: envelope.written).contentChunks == [chunks * 1_000, 0])
    }

    @Test("certificates and signer are cut out of the receipt by offsets")
    func parts() throws {
        let receipt = try SignedReceipt(reading: MintedEnvelope().written)
        #expect(receipt.certificates.map { Array(receipt[$0]) } == MintedEnvelope.certificates)
        #expect(Array(receipt[receipt.certificatesField]) == Array(MintedEnvelope.certificates.joined()))
        let signer = try #require(receipt.signers.first)
        #expect(Array(receipt[signer.signature]) == Array(1...70))
        #expect(Array(receipt[signer.signerIdentifierRange]) == MintedEnvelope.Signer().identifier)
        guard case .issuerAndSerialNumber(let issuer, let serial) = signer.signerIdentifier else {
            Issue.record("expected issuer and serial number")
            return
        }
        #expect(Array(receipt[issuer]) == sequence(ber(0x31, [])))
        #expect(Array(receipt[serial]) == [0x59, 0x33])
    }

    @Test("the largest receipt is read, one byte more is refused")
    func size() throws {
        var envelope = MintedEnvelope.der
        envelope.content = []
        envelope.content = [UInt8](repeating: 0, count: 65_536 - envelope.written.count - 10)
        while envelope.written.count < 65_536 { envelope.content.append(0) }
        #expect(envelope.written.count == 65_536)
        #expect(try SignedReceipt(reading: envelope.written).content == envelope.content)
        envelope.content.append(0)
        #expect(throws: ReceiptError.tooLarge(limit: 65_536, found: 65_537)) {
            try SignedReceipt(reading: envelope.written)
        }
    }
}
