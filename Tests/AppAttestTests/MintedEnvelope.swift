/// An unsigned envelope in Apple's shape, whose parts a test can change before it is written.
struct MintedEnvelope {
    /// One SignerInfo's parts.
    struct Signer {
        var version: [UInt8] = [2, 1, 1]
        var identifier = sequence(sequence(ber(0x31, [])), [2, 2, 0x59, 0x33])
        var digestAlgorithm = MintedEnvelope.sha256
        var signedAttributes: [UInt8] = []
        var signatureAlgorithm = MintedEnvelope.ecdsaWithSHA256
        var signature = ber(0x04, Array(1...70))
        var unsignedAttributes: [UInt8] = []
        var length = Length.definite

        var written: [UInt8] {
            sequence(
                version, identifier, digestAlgorithm, signedAttributes, signatureAlgorithm, signature,
                unsignedAttributes, length: length)
        }
    }

    static let signedData: [UInt8] = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 2]
    static let data: [UInt8] = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 1]
    static let sha256 = sequence([6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1], [5, 0])
    static let sha384 = sequence([6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 2], [5, 0])
    static let ecdsaWithSHA256 = sequence([6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2])
    /// Stand-ins for certificates; the reader cuts them out and does not read them.
    static let certificates = (1...3).map { sequence(ber(0x04, [UInt8](repeating: UInt8($0), count: 150))) }

    var content: [UInt8] = MintedPayload.attest.written
    /// Octets in a chunk; nil writes the content in one piece.
    var chunkSize: Int? = 1_000
    /// Written instead of the content where it is not nil: what stands inside [0] of encapContentInfo.
    var contentElement: [UInt8]?
    var hasContent = true

    var outerType = MintedEnvelope.signedData
    var version: [UInt8] = [2, 1, 1]
    var digestAlgorithms = [MintedEnvelope.sha256]
    var contentType = MintedEnvelope.data
    var certificates: [[UInt8]]? = MintedEnvelope.certificates
    var revocation: [UInt8] = []
    var signers = [Signer()]

    /// The length of ContentInfo itself.
    var outer = Length.indefinite
    /// The lengths of everything inside it that Apple writes with indefinite ones.
    var inner = Length.indefinite
    /// The length of signerInfos.
    var signerInfos = Length.definite

    /// How the 2020 copies are written: definite throughout, content in one piece.
    static var der: MintedEnvelope {
        var envelope = MintedEnvelope()
        envelope.chunkSize = nil
        envelope.outer = .definite
        envelope.inner = .definite
        return envelope
    }

    var written: [UInt8] {
        let string = contentElement ?? contentString
        let attached = hasContent ? ber(0xa0, string, inner) : []
        let field = certificates.map { ber(0xa0, Array($0.joined()), inner) } ?? []
        let signedData = sequence(
            version, ber(0x31, Array(digestAlgorithms.joined())), sequence(contentType, attached, length: inner), field,
            revocation, ber(0x31, Array(signers.map(\.written).joined()), signerInfos), length: inner)
        return sequence(outerType, ber(0xa0, signedData, inner), length: outer)
    }

    private var contentString: [UInt8] {
        guard let chunkSize else { return ber(0x04, content) }
        let chunks = stride(from: 0, to: content.count, by: chunkSize).map {
            ber(0x04, Array(content[$0..<min($0 + chunkSize, content.count)]))
        }
        return ber(0x24, Array(chunks.joined()), inner)
    }
}
