import AppAttest
import Testing

@Suite("Words of errors")
struct ReceiptErrorTests {
    static let errors: [(ReceiptError, String, String)] = [
        (.empty, "empty", "expected a receipt, found no bytes"),
        (.tooLarge(limit: 65_536, found: 70_000), "too_large", "expected at most 65536 bytes, found 70000"),
        (
            .notAReceipt(firstByte: 0x7), "not_a_receipt",
            "expected a receipt, whose first byte is 0x30, found 0x07 as the first byte"
        ),
        (
            .notBase64(.unexpectedCharacter(0x3c, offset: 0)), "not_base64",
            #"expected a receipt, raw or as base64 text; as base64: expected a base64 character at offset 0, found "<""#
        ),
        (
            .notHexadecimal, "not_hexadecimal",
            #"expected pairs of hexadecimal digits behind \x, found something else"#
        ),
        (
            .attestationObject, "attestation_object",
            "expected a receipt, found an attestation object; its receipt is inside, under attStmt.receipt"
        ),
        (
            .trailingBytes(count: 2, offset: 4_000), "trailing_bytes",
            "expected the receipt to end at offset 4000, found 2 more bytes"
        ),
        (
            .needlessNesting(.signature, offset: 12), "needless_nesting",
            "expected signature in one piece, found needless nesting at offset 12"
        ),
        (
            .malformed(.signerInfo, .unexpectedIdentifier(expected: 0x30, found: 0x05, offset: 9)),
            "unexpected_element", "in SignerInfo: expected identifier 0x30 at offset 9, found 0x05"
        ),
        (.duplicateField(17), "duplicate_field", "expected field 17 once, found it again"),
        (.missingField(.environment), "missing_field", "expected field 7 (environment), found none"),
        (
            .fieldVersion(.riskMetric, expected: 1, found: 2), "field_version",
            "expected version 1 of field 17 (risk metric), found 2"
        ),
        (
            .fieldTime(.creationTime, .outOfRange(.month, expected: 1...12, found: 13)), "field_time",
            "in field 12 (creation time): expected month 1 to 12, found 13"
        ),
    ]

    @Test("each error has a stable word, and a text that says what was expected and what was found", arguments: errors)
    func texts(error: ReceiptError, word: String, text: String) {
        #expect(error.word == word)
        #expect(error.description == text)
    }

    @Test("a long value with control characters is cut and cleaned before it is shown")
    func shownValues() throws {
        var payload = MintedPayload.attest
        payload.set(7, "\u{1b}]0;" + String(repeating: "x", count: 100))
        let text = try #require(PartialPayload(reading: payload.written).problems.first).description
        let shown = #"".]0;"# + String(repeating: "x", count: 36) + #"" and 64 more octets"#
        #expect(text == "in field 7 (environment): expected production or sandbox, found " + shown)
    }
}
