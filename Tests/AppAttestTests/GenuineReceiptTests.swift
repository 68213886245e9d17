import AppAttest
import OpenSSL
import Testing

@Suite("Genuine receipts", .genuine)
struct GenuineReceiptTests {
    @Test("every envelope is read with its size, encoding and chunks")
    func envelopes() throws {
        let receipts = try GenuineReceipt.all()
        #expect(receipts.count == 48)
        for genuine in receipts {
            let receipt = try SignedReceipt(reading: genuine.bytes())
            #expect(receipt.bytes.count == genuine.size, "\(genuine.name)")
            #expect(receipt.encoding.rawValue == genuine.encoding, "\(genuine.name)")
            #expect(receipt.contentChunks ?? [] == genuine.econtentChunks, "\(genuine.name)")
        }
    }

    @Test("every certificate is cut out whole, in order")
    func certificates() throws {
        for genuine in try GenuineReceipt.all() {
            let receipt = try SignedReceipt(reading: genuine.bytes())
            let digests = receipt.certificates.map { hex(SHA256.digest(Array(receipt[$0]))) }
            #expect(digests == genuine.certificates.map(\.sha256), "\(genuine.name)")
            let whole = receipt.certificates.reduce(into: 0) { $0 += $1.count }
            #expect(whole == receipt.certificatesField.count, "\(genuine.name)")
        }
    }

    @Test("every receipt without signed attributes is exactly of the fast shape, and no other one is")
    func fastShape() throws {
        for genuine in try GenuineReceipt.all() {
            let receipt = try SignedReceipt(reading: genuine.bytes())
            let expected = genuine.cms.signedAttrsPresent ? FastShape.departs(.signedAttributes) : .exact
            #expect(receipt.fastShape == expected, "\(genuine.name)")
            let signer = try #require(receipt.signers.first)
            guard case .issuerAndSerialNumber(_, let serial) = signer.signerIdentifier else {
                Issue.record("\(genuine.name): not by issuer and serial number")
                continue
            }
            // The known serial numbers are written as numbers, without leading zeros.
            let digits = hex(Array(receipt[serial])).drop { $0 == "0" }
            #expect(digits == genuine.certificates[0].serial, "\(genuine.name)")
        }
    }

    @Test("every field has the value that is known of it, and the fields come in the known order")
    func fields() throws {
        for genuine in try GenuineReceipt.all() {
            let read = ReceiptFields(reading: try SignedReceipt(reading: genuine.bytes()).content)
            #expect(read.problem == nil, "\(genuine.name)")
            #expect(read.fields.map(\.number) == genuine.fieldOrder, "\(genuine.name)")
            for field in read.fields {
                let expected = try #require(genuine.fields["\(field.number)"])
                #expect(field.version == expected.version, "\(genuine.name), field \(field.number)")
                #expect(field.value.count == expected.len, "\(genuine.name), field \(field.number)")
                try compare(field.value, expected, "\(genuine.name), field \(field.number)")
            }
        }
    }

    @Test("every payload means what is known of it")
    func payloads() throws {
        for genuine in try GenuineReceipt.all() {
            let payload = try ReceiptPayload(reading: SignedReceipt(reading: genuine.bytes()).content)
            let fields = genuine.fields
            #expect(payload.appID.text == fields["2"]?.value, "\(genuine.name)")
            #expect(payload.type.rawValue == fields["6"]?.value, "\(genuine.name)")
            #expect(payload.environment == Environment(receiptField: fields["7"]?.value ?? ""), "\(genuine.name)")
            #expect(payload.creationTime.text == fields["12"]?.value, "\(genuine.name)")
            #expect(payload.riskMetric.map(String.init) == fields["17"]?.value, "\(genuine.name)")
            #expect(payload.notBefore?.text == fields["19"]?.value, "\(genuine.name)")
            #expect(payload.expirationTime.text == fields["21"]?.value, "\(genuine.name)")
            #expect(payload.unknownFields.isEmpty, "\(genuine.name)")
            #expect(payload.expirationTime.instant - payload.creationTime.instant == .days(90), "\(genuine.name)")
            #expect(payload.creationTime.instant.rfc3339 == payload.creationTime.text, "\(genuine.name)")
        }
    }

    @Test("base64 text of every receipt is written exactly as it was read")
    func base64() throws {
        for genuine in try GenuineReceipt.all() {
            let text = try genuine.text().filter { $0 != UInt8(ascii: "\n") }
            #expect(Base64.encodedOctets(try genuine.bytes()) == text, "\(genuine.name)")
        }
    }

    private func compare(_ value: [UInt8], _ expected: GenuineReceipt.Field, _ place: Comment) throws {
        if let text = expected.value { #expect(value == Array(text.utf8), place) }
        if let base64 = expected.base64 { #expect(try value == Base64.decode(base64), place) }
        if let digest = expected.sha256 { #expect(hex(SHA256.digest(value)) == digest, place) }
        #expect(expected.value != nil || expected.base64 != nil || expected.sha256 != nil, place)
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
