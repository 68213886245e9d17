import AppAttest
import DataServer
import OpenSSL
import TestServers
import Testing

@Suite("Signing key files")
struct SigningKeyTests {
    private func point(_ file: [UInt8]) throws -> [UInt8] {
        try SigningKey(id: "KEY1234567", file: file).key.publicPoint()
    }

    @Test("every spelling of one key loads as that key")
    func spellings() throws {
        let key = try ECPrivateKey(generatingOn: .p256)
        let file = pem("PRIVATE KEY", try key.pkcs8())
        let text = String(decoding: file, as: UTF8.self)
        let spellings: [String: String] = [
            "as given out": text,
            "CRLF": text.replacing("\n", with: "\r\n"),
            "CR": text.replacing("\n", with: "\r"),
            "line ends written out": text.replacing("\n", with: "\\n"),
            "CRLF written out": text.replacing("\n", with: "\\r\\n"),
            "no final line end": String(text.dropLast()),
            "a byte order mark": "\u{FEFF}" + text,
            "one line": text.replacing("\n", with: ""),
            "one line with spaces": text.replacing("\n", with: " "),
            "text around": "Key for the back end\n\n" + text + "\n\n",
        ]
        for (name, spelling) in spellings {
            #expect(try point(Array(spelling.utf8)) == key.publicPoint(), "\(name)")
        }
    }

    @Test("SEC 1 loads, with and without its EC PARAMETERS block")
    func sec1() throws {
        let file = try runOpenSSL(["ecparam", "-name", "prime256v1", "-genkey"])
        #expect(String(decoding: file, as: UTF8.self).hasPrefix("-----BEGIN EC PARAMETERS-----"))
        let alone = try runOpenSSL(["ec"], input: file)
        #expect(String(decoding: alone, as: UTF8.self).hasPrefix("-----BEGIN EC PRIVATE KEY-----"))
        let pkcs8 = try runOpenSSL(["pkcs8", "-topk8", "-nocrypt"], input: file)
        #expect(try point(file) == point(pkcs8))
        #expect(try point(alone) == point(pkcs8))
    }

    @Test("a file cut anywhere before its end is refused")
    func truncation() throws {
        let file = pem("PRIVATE KEY", try ECPrivateKey(generatingOn: .p256).pkcs8())
        for length in 0..<file.count - 1 {
            #expect(throws: SigningKeyError.self, "cut at \(length)") { try point(Array(file.prefix(length))) }
        }
    }

    @Test("a key that was cut and closed again is cut short")
    func cutInside() throws {
        let der = try ECPrivateKey(generatingOn: .p256).pkcs8()
        for length in [1, 20, 60, der.count - 1] {
            #expect(throws: SigningKeyError.truncated) { try point(pem("PRIVATE KEY", Array(der.prefix(length)))) }
        }
    }

    @Test("a key whose halves do not belong together is damaged")
    func mixedHalves() throws {
        let der = try ECPrivateKey(generatingOn: .p256).pkcs8()
        let other = try ECPrivateKey(generatingOn: .p256).pkcs8()
        // The public point is the last 65 octets.
        let mixed = Array(der.dropLast(65)) + other.suffix(65)
        #expect(throws: SigningKeyError.damaged(reason: "invalid private key")) {
            try point(pem("PRIVATE KEY", mixed))
        }
    }

    @Test("what is no unencrypted P-256 private key is refused by what it is")
    func others() throws {
        let key = try runOpenSSL(["ecparam", "-name", "prime256v1", "-genkey", "-noout"])
        let encrypt = ["-passout", "pass:word"]
        let cases: [(SigningKeyError, [UInt8])] = [
            (.empty, []),
            (.empty, Array(" \r\n\t".utf8)),
            (.notPEM, Array("{\"key\": 1}".utf8)),
            (.notPEM, try ECPrivateKey(generatingOn: .p256).pkcs8()),
            (.otherKey("RSA"), try runOpenSSL(["genrsa", "2048"])),
            (.otherKey("RSA"), try runOpenSSL(["genrsa", "-traditional", "2048"])),
            (.otherKey("P-384"), try runOpenSSL(["ecparam", "-name", "secp384r1", "-genkey"])),
            (.otherKey("secp256k1"), try runOpenSSL(["ecparam", "-name", "secp256k1", "-genkey"])),
            (.otherKey("ED25519"), try runOpenSSL(["genpkey", "-algorithm", "ed25519"])),
            (.encrypted, try runOpenSSL(["pkcs8", "-topk8"] + encrypt, input: key)),
            (.encrypted, try runOpenSSL(["ec", "-aes256"] + encrypt, input: key)),
            (.publicKey, try runOpenSSL(["ec", "-pubout"], input: key)),
            (.certificate, pem("CERTIFICATE", [1, 2, 3])),
            (.otherBlock("DH PARAMETERS"), pem("DH PARAMETERS", [1, 2, 3])),
            (.damaged(reason: "not base64"), Array("-----BEGIN PRIVATE KEY-----\n***\n-----END PRIVATE KEY-----".utf8)),
        ]
        for (expected, file) in cases {
            #expect(throws: expected) { try point(file) }
        }
    }

    @Test("a reason says what was expected and what was found, and a key shows nothing but its identifier")
    func words() throws {
        let text = SigningKeyError.otherKey("RSA").description
        #expect(text.contains("expected an unencrypted P-256 private key"))
        #expect(text.contains("RSA"))
        #expect(try "\(signingKey())" == "signing key KEY1234567")
    }
}
