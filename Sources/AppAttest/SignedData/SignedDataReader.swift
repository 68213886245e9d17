/// Walks one envelope from outside in (RFC 5652 §§ 3, 5) and keeps what `SignedReceipt` shows.
///
/// It takes what OpenSSL's CMS reader takes and more strictly so where receipts never need the latitude: chunks are
/// primitive OCTET STRINGs one level deep, other strings are in one piece, nothing follows the envelope.
struct SignedDataReader {
    private(set) var content: [UInt8] = []
    private(set) var contentChunks: [Int]?
    private(set) var version = 0
    private(set) var digestAlgorithms: [AlgorithmIdentifier] = []
    private(set) var certificatesField = 0..<0
    private(set) var certificates: [Range<Int>] = []
    private(set) var signers: [SignerInfo] = []
    private(set) var departure: ShapeDeparture?

    /// What the walk found the shape to be.
    var fastShape: FastShape { departure.map(FastShape.departs) ?? .exact }

    /// Refuses what is no receipt by its size or first byte, before anything is walked.
    init(_ bytes: [UInt8]) throws(ReceiptError) {
        guard bytes.count <= SignedReceipt.sizeLimit else {
            throw .tooLarge(limit: SignedReceipt.sizeLimit, found: bytes.count)
        }
        guard let first = bytes.first else { throw .empty }
        guard !AttestationObject.begins(bytes) else { throw .attestationObject }
        guard first == BERIdentifier.sequence else { throw .notAReceipt(firstByte: first) }
    }

    /// Reads ContentInfo and everything in it; gives back the outermost element.
    mutating func read(_ bytes: [UInt8]) throws(ReceiptError) -> BERElement {
        var cursor = BERCursor(over: 0..<bytes.count)
        let outer = try take(BERIdentifier.sequence, as: .contentInfo, from: &cursor, in: bytes.span, .apple)
        guard cursor.isAtEnd else { throw .trailingBytes(count: bytes.count - outer.end, offset: outer.end) }

        var inside = BERCursor(over: outer.content)
        let type = try take(BERIdentifier.objectIdentifier, as: .contentType, from: &inside, in: bytes.span)
        guard type.contentEquals(ObjectIdentifiers.signedData, in: bytes.span) else { throw .notSignedData }
        let wrapper = try take(BERIdentifier.context0, as: .contentInfo, from: &inside, in: bytes.span, .apple)
        try finish(inside, .contentInfo)

        var wrapped = BERCursor(over: wrapper.content)
        let signedData = try take(BERIdentifier.sequence, as: .signedData, from: &wrapped, in: bytes.span, .apple)
        try finish(wrapped, .contentInfo)
        try readSignedData(signedData, bytes)
        return outer
    }

    // SignedData ::= SEQUENCE { version CMSVersion, digestAlgorithms DigestAlgorithmIdentifiers,
    //   encapContentInfo EncapsulatedContentInfo, certificates [0] IMPLICIT CertificateSet OPTIONAL,
    //   crls [1] IMPLICIT RevocationInfoChoices OPTIONAL, signerInfos SignerInfos }
    private mutating func readSignedData(_ element: BERElement, _ bytes: [UInt8]) throws(ReceiptError) {
        let span = bytes.span
        var cursor = BERCursor(over: element.content)
        version = try smallInteger(from: &cursor, in: span)
        if version != 1 { depart(.signedDataVersion(found: version)) }
        try readDigestAlgorithms(from: &cursor, in: span)
        try readContent(from: &cursor, bytes)
        if let field = try takeIfPresent(BERIdentifier.context0, as: .certificates, from: &cursor, in: span, .apple) {
            try readCertificates(field, in: span)
        }
        if certificates.isEmpty { depart(.noCertificates) }
        if try takeIfPresent(BERIdentifier.context1, as: .revocationInformation, from: &cursor, in: span) != nil {
            depart(.revocationInformation)
        }
        let infos = try take(BERIdentifier.set, as: .signerInfos, from: &cursor, in: span)
        try finish(cursor, .signedData)

        var inside = BERCursor(over: infos.content)
        while !inside.isAtEnd {
            let info = try take(BERIdentifier.sequence, as: .signerInfo, from: &inside, in: span)
            signers.append(try readSigner(info, in: span))
        }
        if signers.count != 1 { depart(.signerCount(found: signers.count)) }
    }

    private mutating func readDigestAlgorithms(
        from cursor: inout BERCursor, in bytes: Span<UInt8>
    ) throws(ReceiptError) {
        let element = try take(BERIdentifier.set, as: .digestAlgorithms, from: &cursor, in: bytes)
        var inside = BERCursor(over: element.content)
        while !inside.isAtEnd { digestAlgorithms.append(try algorithm(from: &inside, in: bytes)) }
        if digestAlgorithms.count != 1 || !digestAlgorithms[0].isPlainSHA256 {
            depart(.digestAlgorithms(count: digestAlgorithms.count))
        }
    }

    // EncapsulatedContentInfo ::= SEQUENCE { eContentType ContentType, eContent [0] EXPLICIT OCTET STRING OPTIONAL }
    private mutating func readContent(from cursor: inout BERCursor, _ bytes: [UInt8]) throws(ReceiptError) {
        let span = bytes.span
        let element = try take(BERIdentifier.sequence, as: .encapsulatedContent, from: &cursor, in: span, .apple)
        var inside = BERCursor(over: element.content)
        let type = try take(BERIdentifier.objectIdentifier, as: .encapsulatedContent, from: &inside, in: span)
        if !type.contentEquals(ObjectIdentifiers.data, in: span) { depart(.contentType) }
        guard let wrapper = try takeIfPresent(BERIdentifier.context0, as: .content, from: &inside, in: span, .apple)
        else { throw .noContent }
        try finish(inside, .encapsulatedContent)

        var wrapped = BERCursor(over: wrapper.content)
        if wrapped.peek(in: span) == BERIdentifier.constructedOctetString {
            let string = try take(
                BERIdentifier.constructedOctetString, as: .content, from: &wrapped, in: span, .apple)
            try joinChunks(of: string, bytes)
        } else {
            let string = try take(BERIdentifier.octetString, as: .content, from: &wrapped, in: span)
            content = Array(bytes[string.content])
        }
        try finish(wrapped, .content)
    }

    private mutating func joinChunks(of string: BERElement, _ bytes: [UInt8]) throws(ReceiptError) {
        let span = bytes.span
        var sizes: [Int] = []
        content.reserveCapacity(string.content.count)
        var cursor = BERCursor(over: string.content)
        while !cursor.isAtEnd {
            guard cursor.peek(in: span) != BERIdentifier.constructedOctetString else {
                throw .needlessNesting(.contentChunk, offset: cursor.offset)
            }
            let chunk = try take(BERIdentifier.octetString, as: .contentChunk, from: &cursor, in: span)
            content.append(contentsOf: bytes[chunk.content])
            sizes.append(chunk.content.count)
        }
        contentChunks = sizes
    }

    // CertificateChoices ::= CHOICE { certificate Certificate, and others, each with a context tag }
    private mutating func readCertificates(_ field: BERElement, in bytes: Span<UInt8>) throws(ReceiptError) {
        certificatesField = field.content
        certificates.reserveCapacity(4)
        var cursor = BERCursor(over: field.content)
        while !cursor.isAtEnd {
            if cursor.peek(in: bytes) == BERIdentifier.sequence {
                let element = try take(BERIdentifier.sequence, as: .certificates, from: &cursor, in: bytes)
                certificates.append(element.encoded)
            } else {
                do { _ = try cursor.next(in: bytes) } catch { throw ReceiptError(error, in: .certificates) }
                depart(.otherCertificateChoice)
            }
        }
    }

    // SignerInfo ::= SEQUENCE { version CMSVersion, sid SignerIdentifier, digestAlgorithm DigestAlgorithmIdentifier,
    //   signedAttrs [0] IMPLICIT SignedAttributes OPTIONAL, signatureAlgorithm SignatureAlgorithmIdentifier,
    //   signature SignatureValue, unsignedAttrs [1] IMPLICIT UnsignedAttributes OPTIONAL }
    private mutating func readSigner(_ info: BERElement, in bytes: Span<UInt8>) throws(ReceiptError) -> SignerInfo {
        var cursor = BERCursor(over: info.content)
        let version = try smallInteger(from: &cursor, in: bytes)
        let identifierStart = cursor.offset
        let identifier = try signerIdentifier(from: &cursor, in: bytes)
        let identifierRange = identifierStart..<cursor.offset
        let digest = try algorithm(from: &cursor, in: bytes)
        let signed = try takeIfPresent(BERIdentifier.context0, as: .signedAttributes, from: &cursor, in: bytes)
        let signing = try algorithm(from: &cursor, in: bytes)
        guard cursor.peek(in: bytes) != BERIdentifier.constructedOctetString else {
            throw .needlessNesting(.signature, offset: cursor.offset)
        }
        let signature = try take(BERIdentifier.octetString, as: .signature, from: &cursor, in: bytes)
        let unsigned = try takeIfPresent(BERIdentifier.context1, as: .unsignedAttributes, from: &cursor, in: bytes)
        try finish(cursor, .signerInfo)

        if version != 1 { depart(.signerInfoVersion(found: version)) }
        if !digest.isPlainSHA256 { depart(.digestAlgorithm) }
        if signed != nil { depart(.signedAttributes) }
        if signing.algorithm != .ecdsaWithSHA256 || signing.parameters != .absent { depart(.signatureAlgorithm) }
        if unsigned != nil { depart(.unsignedAttributes) }
        return SignerInfo(
            version: version, signerIdentifier: identifier, signerIdentifierRange: identifierRange,
            digestAlgorithm: digest, signedAttributes: signed?.encoded, signatureAlgorithm: signing,
            signature: signature.content, unsignedAttributes: unsigned?.encoded)
    }

    // SignerIdentifier ::= CHOICE { issuerAndSerialNumber IssuerAndSerialNumber,
    //   subjectKeyIdentifier [0] IMPLICIT OCTET STRING }
    private mutating func signerIdentifier(
        from cursor: inout BERCursor, in bytes: Span<UInt8>
    ) throws(ReceiptError) -> SignerInfo.SignerIdentifier {
        switch cursor.peek(in: bytes) {
        case BERIdentifier.primitiveContext0:
            depart(.subjectKeyIdentifier)
            let key = try take(BERIdentifier.primitiveContext0, as: .signerIdentifier, from: &cursor, in: bytes)
            return .subjectKeyIdentifier(key.content)
        case BERIdentifier.context0:
            throw .needlessNesting(.signerIdentifier, offset: cursor.offset)
        default:
            let element = try take(BERIdentifier.sequence, as: .signerIdentifier, from: &cursor, in: bytes)
            var inside = BERCursor(over: element.content)
            let issuer = try take(BERIdentifier.sequence, as: .signerIdentifier, from: &inside, in: bytes)
            let serial = try take(BERIdentifier.integer, as: .signerIdentifier, from: &inside, in: bytes)
            try finish(inside, .signerIdentifier)
            if !serial.isMinimalInteger(in: bytes) { depart(.serialNumber) }
            return .issuerAndSerialNumber(issuer: issuer.encoded, serialNumber: serial.content)
        }
    }
}

extension SignedDataReader {
    /// Where an indefinite length belongs to the shape in which Apple sends receipts.
    private enum IndefiniteLength {
        case apple
        case unusual
    }

    private mutating func depart(_ point: ShapeDeparture) {
        if departure == nil { departure = point }
    }

    private mutating func take(
        _ identifier: UInt8, as part: ReceiptPart, from cursor: inout BERCursor, in bytes: Span<UInt8>,
        _ indefinite: IndefiniteLength = .unusual
    ) throws(ReceiptError) -> BERElement {
        do throws(BERError) {
            let element = try cursor.next(identifier, in: bytes)
            if !element.hasMinimalLength { depart(.longLength(part)) }
            if element.isIndefinite, indefinite == .unusual { depart(.indefiniteLength(part)) }
            return element
        } catch {
            throw ReceiptError(error, in: part)
        }
    }

    private mutating func takeIfPresent(
        _ identifier: UInt8, as part: ReceiptPart, from cursor: inout BERCursor, in bytes: Span<UInt8>,
        _ indefinite: IndefiniteLength = .unusual
    ) throws(ReceiptError) -> BERElement? {
        guard cursor.peek(in: bytes) == identifier else { return nil }
        return try take(identifier, as: part, from: &cursor, in: bytes, indefinite)
    }

    private mutating func algorithm(
        from cursor: inout BERCursor, in bytes: Span<UInt8>
    ) throws(ReceiptError) -> AlgorithmIdentifier {
        let element = try take(BERIdentifier.sequence, as: .algorithm, from: &cursor, in: bytes)
        do { return try AlgorithmIdentifier(reading: element, in: bytes) } catch {
            throw ReceiptError(error, in: .algorithm)
        }
    }

    private mutating func smallInteger(
        from cursor: inout BERCursor, in bytes: Span<UInt8>
    ) throws(ReceiptError) -> Int {
        let element = try take(BERIdentifier.integer, as: .version, from: &cursor, in: bytes)
        do { return try element.smallInteger(in: bytes) } catch { throw ReceiptError(error, in: .version) }
    }

    private func finish(_ cursor: BERCursor, _ part: ReceiptPart) throws(ReceiptError) {
        do { try cursor.finish() } catch { throw ReceiptError(error, in: part) }
    }
}
