/// How a receipt's envelope is written.
public enum ReceiptEncoding: String, Hashable, Sendable, CaseIterable {
    /// The outermost length is indefinite: how Apple sends receipts.
    case berIndefinite = "BER-indefinite"
    /// Definite outside, but an indefinite or needlessly long length, or a string in chunks, somewhere inside.
    case ber = "BER"
    /// Definite, minimal lengths and primitive strings throughout. The order inside a SET is not looked at: Apple's
    /// SETs are unsorted in every encoding.
    case der = "DER"

    /// Finds out how a well-formed envelope whose outermost element is `outer` is written.
    init(of outer: BERElement, in bytes: Span<UInt8>) {
        guard !outer.isIndefinite else {
            self = .berIndefinite
            return
        }
        // Stepping into each constructed element turns the tree into one flat row of headers.
        var offset = outer.start
        while offset < outer.end {
            guard let header = try? BERHeader(at: offset, limit: outer.end, in: bytes), let length = header.length,
                header.hasMinimalLength, header.identifier != BERIdentifier.constructedOctetString
            else {
                self = .ber
                return
            }
            offset = header.isConstructed ? header.contentStart : header.contentStart + length
        }
        self = .der
    }
}
