/// Walks the elements that stand side by side in a range of bytes.
///
/// It holds offsets alone and allocates nothing. The end of an element of indefinite length is found by a scan without
/// recursion, so that all elements come with both their ends known.
struct BERCursor {
    /// How many elements of indefinite length may stand inside each other. Genuine receipts have six.
    static let depthLimit = 16

    /// Offset of the next element.
    private(set) var offset: Int
    /// Offset at which the surrounding element's contents end.
    let end: Int

    /// A cursor over the elements in `range`.
    init(over range: Range<Int>) {
        offset = range.lowerBound
        end = range.upperBound
    }

    /// Whether no element is left.
    var isAtEnd: Bool { offset == end }

    /// The identifier of the next element; nil at the end.
    func peek(in bytes: Span<UInt8>) -> UInt8? {
        isAtEnd ? nil : bytes[offset]
    }

    /// Takes the next element, whatever it is.
    mutating func next(in bytes: Span<UInt8>) throws(BERError) -> BERElement {
        let start = offset
        let header = try BERHeader(at: start, limit: end, in: bytes)
        guard header.identifier != 0 else { throw .strayEndOfContents(offset: start) }
        let contentEnd: Int
        if let length = header.length {
            contentEnd = header.contentStart + length
            offset = contentEnd
        } else {
            contentEnd = try BERCursor.endOfContents(from: header.contentStart, limit: end, in: bytes)
            offset = contentEnd + 2
        }
        return BERElement(
            identifier: header.identifier, start: start, content: header.contentStart..<contentEnd, end: offset,
            isIndefinite: header.length == nil, hasMinimalLength: header.hasMinimalLength)
    }

    /// Takes the next element, which has to have this identifier.
    mutating func next(_ expected: UInt8, in bytes: Span<UInt8>) throws(BERError) -> BERElement {
        guard let found = peek(in: bytes) else { throw .missingElement(expected: expected, offset: offset) }
        guard found == expected else {
            guard found != 0 else { throw .strayEndOfContents(offset: offset) }
            throw .unexpectedIdentifier(expected: expected, found: found, offset: offset)
        }
        return try next(in: bytes)
    }

    /// Takes the next element if it has this identifier.
    mutating func nextIfPresent(_ expected: UInt8, in bytes: Span<UInt8>) throws(BERError) -> BERElement? {
        peek(in: bytes) == expected ? try next(in: bytes) : nil
    }

    /// Refuses elements that are left.
    func finish() throws(BERError) {
        guard isAtEnd else { throw .surplusBytes(count: end - offset, offset: offset) }
    }

    /// The offset of the end-of-contents octets that belong to an element whose contents begin at `start`.
    private static func endOfContents(from start: Int, limit: Int, in bytes: Span<UInt8>) throws(BERError) -> Int {
        var offset = start
        var open = 1
        while offset < limit {
            let header = try BERHeader(at: offset, limit: limit, in: bytes)
            if header.identifier == 0 {
                guard header.length == 0, header.contentStart == offset + 2 else {
                    throw .strayEndOfContents(offset: offset)
                }
                open -= 1
                if open == 0 { return offset }
                offset += 2
            } else if let length = header.length {
                offset = header.contentStart + length
            } else {
                open += 1
                guard open <= depthLimit else { throw .tooDeep(limit: depthLimit, offset: offset) }
                offset = header.contentStart
            }
        }
        throw .missingEndOfContents(offset: limit)
    }
}
