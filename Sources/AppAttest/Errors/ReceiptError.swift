/// Why bytes are not a receipt that can be read. Each case has a stable `word`; its text is safe to log.
public enum ReceiptError: Error, Hashable, Sendable {
    /// No bytes at all.
    case empty
    /// More bytes than any receipt may have.
    case tooLarge(limit: Int, found: Int)
    /// The first byte begins no BER SEQUENCE.
    case notAReceipt(firstByte: UInt8)
    /// Neither raw BER nor base64 text.
    case notBase64(Base64Error)
    /// Behind `\x` stand not pairs of hexadecimal digits alone.
    case notHexadecimal
    /// A whole attestation object; the receipt is inside it.
    case attestationObject
    /// A ContentInfo, but of something else than SignedData.
    case notSignedData
    /// The signed content is not attached.
    case noContent
    /// Bytes behind the envelope.
    case trailingBytes(count: Int, offset: Int)
    /// A string in chunks where it has to be in one piece, or chunks in chunks, or lengths nested too deep.
    case needlessNesting(ReceiptPart, offset: Int)
    /// Not the BER that this part of a receipt is made of. For the payload, offsets count from its first byte.
    case malformed(ReceiptPart, BERError)

    /// The payload has this field more than once.
    case duplicateField(Int)
    /// The payload lacks this field, which every receipt has.
    case missingField(FieldNumber)
    /// A field of a version that is not known.
    case fieldVersion(FieldNumber, expected: Int, found: Int)
    /// A field's value is not what it has to be; `found` is shortened and has no control characters.
    case fieldValue(FieldNumber, expected: String, found: String)
    /// A field's value is not an RFC 3339 time.
    case fieldTime(FieldNumber, RFC3339Error)
    /// The receipt expires at or before its creation.
    case expirationNotAfterCreation(creation: String, expiration: String)
    /// The receipt may be sent only once it has expired.
    case notBeforeAfterExpiration(notBefore: String, expiration: String)

    /// Tells a fault in the BER of `part` as a fault of the receipt.
    init(_ error: BERError, in part: ReceiptPart) {
        switch error {
        case .tooDeep(_, let offset):
            self = .needlessNesting(part, offset: offset)
        case .truncated, .unexpectedIdentifier, .missingElement, .surplusBytes, .unreadableLength, .unreadableTag,
            .indefinitePrimitive, .strayEndOfContents, .missingEndOfContents, .unreadableInteger:
            self = .malformed(part, error)
        }
    }
}

extension ReceiptError {
    /// A stable word for machines.
    public var word: String {
        switch self {
        case .empty: "empty"
        case .tooLarge: "too_large"
        case .notAReceipt: "not_a_receipt"
        case .notBase64: "not_base64"
        case .notHexadecimal: "not_hexadecimal"
        case .attestationObject: "attestation_object"
        case .notSignedData: "not_signed_data"
        case .noContent: "no_content"
        case .trailingBytes: "trailing_bytes"
        case .needlessNesting: "needless_nesting"
        case .malformed(_, let error): error.word
        case .duplicateField: "duplicate_field"
        case .missingField: "missing_field"
        case .fieldVersion: "field_version"
        case .fieldValue: "field_value"
        case .fieldTime: "field_time"
        case .expirationNotAfterCreation: "expiration_not_after_creation"
        case .notBeforeAfterExpiration: "not_before_after_expiration"
        }
    }
}

extension ReceiptError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .empty: "expected a receipt, found no bytes"
        case .tooLarge(let limit, let found): "expected at most \(limit) bytes, found \(found)"
        case .notAReceipt(let firstByte):
            "expected a receipt, whose first byte is 0x30, found \(BERError.hex(firstByte)) as the first byte"
        case .notBase64(let error): "expected a receipt, raw or as base64 text; as base64: \(error)"
        case .notHexadecimal: "expected pairs of hexadecimal digits behind \\x, found something else"
        case .attestationObject:
            "expected a receipt, found an attestation object; its receipt is inside, under attStmt.receipt"
        case .notSignedData: "expected a CMS SignedData, found another content type"
        case .noContent: "expected the signed content inside the receipt, found none"
        case .trailingBytes(let count, let offset):
            "expected the receipt to end at offset \(offset), found \(count) more bytes"
        case .needlessNesting(let part, let offset):
            "expected \(part.rawValue) in one piece, found needless nesting at offset \(offset)"
        case .malformed(let part, let error): "in \(part.rawValue): \(error)"
        case .duplicateField(let number): "expected field \(number) once, found it again"
        case .missingField(let field): "expected field \(field), found none"
        case .fieldVersion(let field, let expected, let found):
            "expected version \(expected) of field \(field), found \(found)"
        case .fieldValue(let field, let expected, let found): "in field \(field): expected \(expected), found \(found)"
        case .fieldTime(let field, let error): "in field \(field): \(error)"
        case .expirationNotAfterCreation(let creation, let expiration):
            "expected an expiration time after the creation time \(creation), found \(expiration)"
        case .notBeforeAfterExpiration(let notBefore, let expiration):
            "expected a not before earlier than the expiration time \(expiration), found \(notBefore)"
        }
    }
}
