import AppAttest
import Testing

@Suite("Refused envelopes")
struct RefusedEnvelopeTests {
    @Test("bytes behind the envelope are refused", arguments: [[0], [0, 0], [0x30, 0]] as [[UInt8]])
    func trailingBytes(tail: [UInt8]) {
        for envelope in [MintedEnvelope(), .der] {
            let bytes = envelope.written
            #expect(throws: ReceiptError.trailingBytes(count: tail.count, offset: bytes.count)) {
                try SignedReceipt(reading: bytes + tail)
            }
        }
    }

    @Test("chunks in chunks, and strings in chunks that have to be in one piece, are needless nesting")
    func needlessNesting() {
        var nested = MintedEnvelope()
        nested.contentElement = ber(0x24, ber(0x24, ber(0x04, nested.content)), .indefinite)
        var signature = MintedEnvelope()
        signature.signers[0].signature = ber(0x24, ber(0x04, Array(1...70)))
        var keyIdentifier = MintedEnvelope()
        keyIdentifier.signers[0].identifier = ber(0xa0, ber(0x04, Array(1...20)))
        for envelope in [nested, signature, keyIdentifier] {
            #expect(word(envelope.written) == "needless_nesting")
        }
    }

    @Test("sixty thousand indefinite lengths inside each other are refused without recursion")
    func depth() {
        let bytes = Array(repeatElement([0x30, 0x80] as [UInt8], count: 30_000).joined())
        #expect(word(bytes) == "needless_nesting")
    }

    @Test("a chunk of another kind than OCTET STRING is refused", arguments: [0x03, 0x0c, 0x80, 0x02] as [UInt8])
    func chunkKind(identifier: UInt8) {
        var envelope = MintedEnvelope()
        envelope.contentElement = ber(0x24, ber(identifier, [1, 2]), .indefinite)
        #expect(word(envelope.written) == "unexpected_element")
    }

    @Test("content that is not attached is refused")
    func detached() {
        var envelope = MintedEnvelope()
        envelope.hasContent = false
        #expect(word(envelope.written) == "no_content")
    }

    @Test("another content type than SignedData is refused")
    func otherType() {
        var envelope = MintedEnvelope()
        envelope.outerType = MintedEnvelope.data
        #expect(word(envelope.written) == "not_signed_data")
    }

    @Test("what is no receipt from its first byte on is told from one that is damaged")
    func firstByte() {
        #expect(word([]) == "empty")
        #expect(word(Array("<html>".utf8)) == "not_a_receipt")
        #expect(word([0xa3, 0x63, 0x66, 0x6d, 0x74, 0x6f]) == "attestation_object")
        #expect(word([0x30]) == "truncated")
    }

    @Test(
        "illegal BER is refused by its name",
        arguments: [
            ([0x30, 0x05, 0x06, 0x80, 0x01, 0x00, 0x00], "indefinite_primitive"),
            ([0x30, 0x02, 0x00, 0x00], "stray_end_of_contents"),
            ([0x30, 0x80, 0x06, 0x01, 0x2a], "missing_end_of_contents"),
            ([0x30, 0x80, 0x00, 0x01, 0x00], "stray_end_of_contents"),
            ([0x30, 0x80, 0x00, 0x81, 0x00], "stray_end_of_contents"),
            ([0x30, 0xff, 0x01], "unreadable_length"),
            ([0x30, 0x85, 0x01, 0x00, 0x00, 0x00, 0x00], "unreadable_length"),
            ([0x30, 0x84, 0xff, 0xff, 0xff, 0xff], "truncated"),
            ([0x30, 0x88, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], "unreadable_length"),
            ([0x30, 0x80, 0x1f, 0x80, 0x80, 0x80, 0x80, 0x01, 0x00], "unreadable_tag"),
            ([0x30, 0x00], "missing_element"),
        ] as [([UInt8], String)])
    func illegal(bytes: [UInt8], expected: String) {
        #expect(word(bytes) == expected)
    }

    @Test("surplus elements inside the envelope are refused")
    func surplus() {
        var encapsulated = MintedEnvelope()
        encapsulated.contentElement = ber(0x04, [1]) + ber(0x04, [2])
        var signer = MintedEnvelope()
        signer.signers[0].unsignedAttributes = [5, 0]
        var algorithm = MintedEnvelope()
        algorithm.signers[0].signatureAlgorithm = sequence([6, 1, 0x2a], [5, 0], [5, 0])
        for envelope in [encapsulated, signer, algorithm] { #expect(word(envelope.written) == "surplus_bytes") }
    }

    @Test("a version with needless octets, a negative one and one without octets are refused")
    func versions() {
        for version in [[2, 2, 0, 1], [2, 1, 0xff], [2, 0], [2, 5, 1, 0, 0, 0, 0]] as [[UInt8]] {
            var envelope = MintedEnvelope()
            envelope.version = version
            #expect(word(envelope.written) == "unreadable_integer")
        }
    }

    private func word(_ bytes: [UInt8]) -> String {
        do {
            _ = try SignedReceipt(reading: bytes)
            return "read"
        } catch {
            return error.word
        }
    }
}
