import AppAttest
import Testing

@Suite("Base64")
struct Base64Tests {
    /// RFC 4648 § 10.
    static let vectors = [
        ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ]

    @Test("the vectors of RFC 4648 both ways, padded or not", arguments: vectors)
    func rfcVectors(text: String, encoded: String) throws {
        let bytes = Array(text.utf8)
        #expect(Base64.encode(bytes) == encoded)
        #expect(try Base64.decode(encoded) == bytes)
        let bare = encoded.filter { $0 != "=" }
        #expect(try Base64.decode(bare) == bytes)
        #expect(Base64.encodeURLSafe(bytes) == bare)
    }

    @Test("every octet in every place of a group comes back from both alphabets")
    func everyOctet() throws {
        for length in 0..<4 {
            for octet in 0...255 as ClosedRange<UInt8> {
                let bytes = [UInt8](repeating: 0xfb, count: length) + [octet]
                #expect(try Base64.decode(Base64.encode(bytes)) == bytes)
                #expect(try Base64.decode(Base64.encodeURLSafe(bytes)) == bytes)
            }
        }
        #expect(Base64.encode([0xfb, 0xff, 0xfe]) == "+//+")
        #expect(Base64.encodeURLSafe([0xfb, 0xff, 0xfe]) == "-__-")
        #expect(Base64.encode([]).isEmpty)
    }

    @Test("a receipt stored raw, as base64, as base64url, or wrapped with CRLF or LF is the same bytes")
    func flavours() throws {
        let bytes = MintedEnvelope().written
        let standard = Base64.encode(bytes)
        let urlSafe = Base64.encodeURLSafe(bytes)
        let padding = String(repeating: "=", count: (4 - urlSafe.utf8.count % 4) % 4)
        let flavours = [
            standard, standard.filter { $0 != "=" }, urlSafe, urlSafe + padding, standard + "\n",
            wrapped(standard, 76, "\r\n"), wrapped(standard, 64, "\n") + "\n", wrapped(urlSafe, 61, "\r\n"),
            " " + wrapped(standard, 1, " "),
        ]
        for (index, text) in flavours.enumerated() {
            #expect(try ReceiptBytes(anyFlavour: text).bytes == bytes, "flavour \(index)")
        }
        #expect(try ReceiptBytes(anyFlavour: bytes).bytes == bytes)
        let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        for text in [digits, digits.uppercased()] {
            #expect(try ReceiptBytes(anyFlavour: "\\x\(text)").bytes == bytes)
        }
    }

    @Test(
        "what is no base64 is refused with what was found, and where",
        arguments: [
            ("<html>", .unexpectedCharacter(0x3c, offset: 0)), ("MIAG*", .unexpectedCharacter(0x2a, offset: 4)),
            ("MIA\0", .unexpectedCharacter(0, offset: 3)), ("ab+/cd-_", .mixedAlphabets(offset: 6)),
            ("-AAA+AAA", .mixedAlphabets(offset: 4)), ("MIAG=", .wrongPadding(offset: 4)),
            ("MI=", .wrongPadding(offset: 3)), ("MIA==", .wrongPadding(offset: 4)), ("M===", .wrongPadding(offset: 1)),
            ("MIA=MIA=", .wrongPadding(offset: 4)), ("MI=A", .wrongPadding(offset: 3)),
            ("MIAGM", .truncated(offset: 5)),
            ("Zh==", .strayBits(offset: 4)), ("Zm9=", .strayBits(offset: 4)), ("", .empty), (" \r\n", .empty),
        ] as [(String, Base64Error)])
    func refused(text: String, expected: Base64Error) {
        #expect(throws: expected) { try Base64.decode(text) }
    }

    @Test("bytes that are no receipt in any flavour are refused by a word")
    func noReceipt() {
        #expect(word(Array("{\"receipt\": 1}".utf8)) == "not_base64")
        #expect(word(Array("aGVsbG8gd29ybGQ=".utf8)) == "not_a_receipt")
        #expect(word([]) == "empty")
        #expect(word(Array("\r\n".utf8)) == "empty")
        #expect(word([0xa3, 0x63, 0x66, 0x6d, 0x74, 0x6f]) == "attestation_object")
        #expect(word(Array("o2NmbXRvYXBwbGUtYXBwYXR0ZXN0".utf8)) == "attestation_object")
        #expect(word([0x30] + [UInt8](repeating: 0, count: 65_536)) == "too_large")
        #expect(word([UInt8](repeating: 0x41, count: 131_073)) == "too_large")
        for text in [#"\x3"#, #"\x30zz"#, #"\x30 80"#] { #expect(word(Array(text.utf8)) == "not_hexadecimal") }
        #expect(word(Array(#"\x"#.utf8)) == "empty")
        #expect(word(Array(#"\x04"#.utf8)) == "not_a_receipt")
        #expect(word(Array((#"\x30"# + String(repeating: "0", count: 131_072)).utf8)) == "too_large")
        #expect(word(Base64.encodedOctets([0x30] + [UInt8](repeating: 0, count: 65_536))) == "too_large")
    }

    private func word(_ bytes: [UInt8]) -> String {
        do {
            _ = try ReceiptBytes(anyFlavour: bytes)
            return "read"
        } catch {
            return error.word
        }
    }

    private func wrapped(_ text: String, _ width: Int, _ end: String) -> String {
        let characters = Array(text)
        return stride(from: 0, to: characters.count, by: width)
            .map { String(characters[$0..<min($0 + width, characters.count)]) }
            .joined(separator: end)
    }
}
