import AppAttest

/// A receipt's envelope as values that can be changed one by one, and a writer of its own that puts them together.
struct EditableReceipt {
    /// One signer.
    struct Signer {
        var version: [UInt8] = [0x02, 0x01, 0x01]
        /// The whole signer identifier element.
        var identifier: [UInt8]
        var digestAlgorithm = TLV.sha256
        /// The whole `[0]` element.
        var signedAttributes: [UInt8]?
        var signatureAlgorithm = TLV.ecdsaWithSHA256
        var signature: [UInt8]
        /// The whole `[1]` element.
        var unsignedAttributes: [UInt8]?
    }

    /// The parts whose lengths can be written in more than one way, outermost first.
    enum Part: Int, CaseIterable {
        case contentInfo, wrapper, signedData, encapsulated, contentWrapper, content, certificates
        case digestAlgorithms, signerInfos, signerInfo, signature
    }

    var version: [UInt8] = [0x02, 0x01, 0x01]
    var digestAlgorithms: [[UInt8]] = [TLV.sha256]
    var contentType = TLV.data
    /// Nil: detached.
    var content: [UInt8]?
    /// Where to cut the content; nil: one primitive string.
    var chunkSizes: [Int]? = [1000]
    /// Puts each chunk into a constructed string of its own.
    var nestsChunks = false
    var certificates: [[UInt8]]
    var revocationInformation: [UInt8]?
    var signers: [Signer]
    var trailing: [UInt8] = []
    /// The parts of indefinite length; Apple's are the first seven.
    var indefinite: Set<Part> = EditableReceipt.apple
    /// Length octets beyond the fewest.
    var surplusLength: [Part: Int] = [:]

    static let apple: Set<Part> = [
        .contentInfo, .wrapper, .signedData, .encapsulated, .contentWrapper, .content, .certificates,
    ]

    /// Takes a receipt apart.
    init(_ bytes: [UInt8]) throws {
        let receipt = try SignedReceipt(reading: bytes)
        content = receipt.content
        chunkSizes = receipt.contentChunks
        certificates = receipt.certificates.map { Array(receipt[$0]) }
        indefinite = receipt.encoding == .berIndefinite ? EditableReceipt.apple : []
        signers = receipt.signers.map { signer in
            Signer(
                identifier: Array(receipt[signer.signerIdentifierRange]),
                signedAttributes: signer.signedAttributes.map { Array(receipt[$0]) },
                signature: Array(receipt[signer.signature]))
        }
    }

    /// The receipt's bytes.
    var encoded: [UInt8] {
        var parts = element(.digestAlgorithms, TLV.set, Array(digestAlgorithms.joined()))
        var encapsulated = contentType
        if let content { encapsulated += element(.contentWrapper, 0xa0, octets(content)) }
        parts += element(.encapsulated, TLV.sequence, encapsulated)
        if !certificates.isEmpty { parts += element(.certificates, 0xa0, Array(certificates.joined())) }
        parts += revocationInformation ?? []
        parts += element(.signerInfos, TLV.set, Array(signers.map(encode).joined()))
        let signedData = element(.signedData, TLV.sequence, version + parts)
        return element(.contentInfo, TLV.sequence, TLV.signedData + element(.wrapper, 0xa0, signedData)) + trailing
    }

    private func encode(_ signer: Signer) -> [UInt8] {
        element(
            .signerInfo, TLV.sequence,
            signer.version + signer.identifier + signer.digestAlgorithm + (signer.signedAttributes ?? [])
                + signer.signatureAlgorithm + element(.signature, TLV.octetString, signer.signature)
                + (signer.unsignedAttributes ?? []))
    }

    private func octets(_ content: [UInt8]) -> [UInt8] {
        guard let chunkSizes else { return element(.content, TLV.octetString, content) }
        var chunks: [UInt8] = []
        var start = 0
        for size in chunkSizes + [content.count] where start < content.count {
            let end = min(start + size, content.count)
            let chunk = TLV.definite(TLV.octetString, Array(content[start..<end]))
            chunks += nestsChunks ? TLV.definite(0x24, chunk) : chunk
            start = end
        }
        return element(.content, 0x24, chunks)
    }

    private func element(_ part: Part, _ identifier: UInt8, _ contents: [UInt8]) -> [UInt8] {
        if indefinite.contains(part), identifier & 0x20 != 0 { return TLV.indefinite(identifier, contents) }
        return TLV.definite(identifier, contents, surplus: surplusLength[part] ?? 0)
    }
}
