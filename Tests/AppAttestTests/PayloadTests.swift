import AppAttest
import Testing

@Suite("The payload")
struct PayloadTests {
    @Test("an answer of the data server is read by field numbers, wherever the fields stand")
    func receipt() throws {
        var minted = MintedPayload.receipt
        for _ in 0..<minted.entries.count {
            minted.entries.append(minted.entries.removeFirst())
            let payload = try ReceiptPayload(reading: minted.written)
            #expect(payload.appID.text == "TEAMID1234.com.example.app")
            #expect(payload.clientHash == Array(0..<32))
            #expect(payload.token.count == 88)
            #expect(payload.type == .receipt)
            #expect(payload.environment == .development)
            #expect(payload.creationTime.text == "2026-10-09T07:25:21.624Z")
            #expect(payload.notBefore?.instant == payload.creationTime.instant + .days(1))
            #expect(payload.expirationTime.instant == payload.creationTime.instant + .days(90))
        }
    }

    @Test("values are raw octets: the metric 12 is the octets 31 32, which look like a SET, and is never unwrapped")
    func rawValues() throws {
        #expect(try ReceiptPayload(reading: MintedPayload.receipt.written).riskMetric == 12)
        // An inner string of its own is not taken off, and so is no metric.
        var wrapped = MintedPayload.receipt
        wrapped.entries[0].value = ber(0x04, ber(0x0c, [0x31, 0x32]))
        #expect(problems(wrapped) == ["field_value"])
        // A token that looks like ASN.1 stays as it is.
        var token = MintedPayload.receipt
        token.set(5, "\u{4}\u{2}ab")
        #expect(try ReceiptPayload(reading: token.written).token == [4, 2, 0x61, 0x62])
    }

    @Test("a missing metric is unknown, not 0; a metric without digits is an error, not 0")
    func missingMetric() throws {
        #expect(try ReceiptPayload(reading: MintedPayload.attest.written).riskMetric == nil)
        var answer = MintedPayload.receipt
        answer.remove(17)
        #expect(try ReceiptPayload(reading: answer.written).riskMetric == nil)
        answer.set(17, "")
        #expect(problems(answer) == ["field_value"])
        #expect(PartialPayload(reading: answer.written).riskMetric == nil)
        answer.set(17, "0")
        #expect(try ReceiptPayload(reading: answer.written).riskMetric == 0)
    }

    @Test(
        "a metric is decimal digits and nothing else",
        arguments: [" 3", "3 ", "+3", "-3", "3.0", "0x3", "1234567890", "٣"])
    func metricText(text: String) {
        var payload = MintedPayload.receipt
        payload.set(17, text)
        #expect(problems(payload) == ["field_value"])
    }

    @Test("unknown fields are kept in order, whatever their version")
    func unknownFields() throws {
        var payload = MintedPayload.receipt
        payload.entries.insert(MintedPayload.Entry(number: 99, version: 2, value: ber(0x04, [1, 2])), at: 3)
        payload.entries.append(MintedPayload.text(1, "new"))
        let read = try ReceiptPayload(reading: payload.written)
        #expect(
            read.unknownFields == [
                ReceiptField(number: 99, version: 2, value: [1, 2]),
                ReceiptField(number: 1, version: 1, value: Array("new".utf8)),
            ])
    }

    @Test("a field that comes twice is refused, known or not", arguments: [17, 12, 99] as [UInt8])
    func duplicates(number: UInt8) {
        var payload = MintedPayload.receipt
        payload.entries.append(MintedPayload.text(99, "x"))
        payload.entries += payload.entries.filter { $0.number == number }
        #expect(throws: ReceiptError.duplicateField(Int(number))) { try ReceiptPayload(reading: payload.written) }
    }

    @Test("each field that every receipt has is named when it is missing", arguments: FieldNumber.required)
    func missingFields(field: FieldNumber) {
        var payload = MintedPayload.receipt
        payload.remove(UInt8(field.rawValue))
        #expect(throws: ReceiptError.missingField(field)) { try ReceiptPayload(reading: payload.written) }
    }

    @Test("a known field of another version is refused, with both versions")
    func versions() {
        var payload = MintedPayload.receipt
        payload.entries[0].version = 2
        #expect(throws: ReceiptError.fieldVersion(.riskMetric, expected: 1, found: 2)) {
            try ReceiptPayload(reading: payload.written)
        }
    }

    @Test(
        "entries of another form are refused",
        arguments: [
            ber(0x0c, [0x31]), ber(0x24, ber(0x04, [0x31])), ber(0x04, [0x31]) + [5, 0], [],
        ])
    func entryForms(value: [UInt8]) {
        var payload = MintedPayload.receipt
        payload.entries[0].value = value
        #expect(throws: ReceiptError.self) { try ReceiptPayload(reading: payload.written) }
    }

    @Test("a SEQUENCE for the SET, and bytes behind the SET, are refused")
    func outside() {
        let written = MintedPayload.receipt.written
        #expect(PartialPayload(reading: [0x30] + written.dropFirst()).problems.first?.word == "unexpected_element")
        #expect(PartialPayload(reading: written + [0]).problems.first?.word == "surplus_bytes")
        #expect(PartialPayload(reading: []).problems.first?.word == "missing_element")
    }

    @Test("values that mean nothing are refused, and the rest is still shown")
    func meaninglessValues() {
        var payload = MintedPayload.receipt
        payload.set(7, "staging\u{1b}[31m")
        payload.set(6, "attest")
        payload.set(2, "com.example.app")
        payload.set(5, "")
        payload.set(12, "yesterday")
        let partial = PartialPayload(reading: payload.written)
        #expect(
            partial.problems.map(\.word) == ["field_value", "field_value", "field_value", "field_value", "field_time"])
        #expect(partial.riskMetric == 12)
        #expect(partial.expirationTime?.text == "2027-01-07T07:25:21.624Z")
        #expect(partial.environment == nil)
        #expect(partial.problems[0].description.contains(#"found "staging.[31m""#))
    }

    @Test("times that contradict each other are refused, with both in the text")
    func orderOfTimes() {
        var expired = MintedPayload.attest
        expired.set(21, "2026-10-09T07:25:21.624Z")
        #expect(problems(expired) == ["expiration_not_after_creation"])
        var late = MintedPayload.receipt
        late.set(19, "2027-01-07T07:25:21.625Z")
        #expect(problems(late) == ["not_before_after_expiration"])
        // A window of no length is none.
        late.set(19, "2027-01-07T07:25:21.624Z")
        #expect(problems(late) == ["not_before_after_expiration"])
        late.set(19, "2027-01-07T07:25:21.625Z")
        let text = PartialPayload(reading: late.written).problems[0].description
        #expect(text.contains("2027-01-07T07:25:21.624Z") && text.contains("2027-01-07T07:25:21.625Z"))
    }

    private func problems(_ payload: MintedPayload) -> [String] {
        PartialPayload(reading: payload.written).problems.map(\.word)
    }
}
