/// The payload's fields as they came, and where reading had to stop.
///
/// Reading goes on as far as it can, so that an inspected receipt shows what it has. What the fields mean, and which
/// of them may repeat, is `PartialPayload`'s matter.
public struct ReceiptFields: Sendable {
    /// The fields in the order they came.
    public private(set) var fields: [ReceiptField] = []
    /// What is wrong with the payload; empty when it was read to its end.
    public private(set) var problem: ReceiptError?

    /// Reads a payload: SET OF SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }, in any order.
    public init(reading content: [UInt8]) {
        fields.reserveCapacity(12)
        do throws(ReceiptError) { try read(content) } catch { problem = error }
    }

    private mutating func read(_ content: [UInt8]) throws(ReceiptError) {
        let bytes = content.span
        var cursor = BERCursor(over: 0..<content.count)
        let set: BERElement
        do throws(BERError) {
            set = try cursor.next(BERIdentifier.set, in: bytes)
            try cursor.finish()
        } catch {
            throw ReceiptError(error, in: .payload)
        }
        var inside = BERCursor(over: set.content)
        while !inside.isAtEnd {
            do throws(BERError) {
                let entry = try inside.next(BERIdentifier.sequence, in: bytes)
                var parts = BERCursor(over: entry.content)
                let number = try parts.next(BERIdentifier.integer, in: bytes).smallInteger(in: bytes)
                let version = try parts.next(BERIdentifier.integer, in: bytes).smallInteger(in: bytes)
                let value = try parts.next(BERIdentifier.octetString, in: bytes)
                try parts.finish()
                fields.append(ReceiptField(number: number, version: version, value: Array(content[value.content])))
            } catch {
                throw ReceiptError(error, in: .field)
            }
        }
    }
}
