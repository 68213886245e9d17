import OpenSSL
import Testing

@Suite("ECDSA")
struct SignatureTests {
    @Test("a signature verifies over its message and over no other", arguments: [Curve.p256, .p384])
    func signAndVerify(curve: Curve) throws {
        let key = try ECPrivateKey(generatingOn: curve)
        let signature = try key.sign(Array("message".utf8), hash: .sha256)
        let publicKey = try key.publicKey()
        #expect(publicKey.verifies(signature: signature, over: Array("message".utf8), hash: .sha256))
        #expect(!publicKey.verifies(signature: signature, over: Array("massage".utf8), hash: .sha256))
        #expect(!publicKey.verifies(signature: [], over: Array("message".utf8), hash: .sha256))
    }

    @Test("short r and s are padded to the field size")
    func padding() throws {
        // SEQUENCE { INTEGER 1, INTEGER 0x80 }
        let fixed = try fixedWidthSignature(der: [0x30, 0x07, 0x02, 0x01, 0x01, 0x02, 0x02, 0x00, 0x80], fieldSize: 32)
        #expect(fixed.count == 64)
        #expect(fixed[31] == 1)
        #expect(fixed[63] == 0x80)
        #expect(fixed.filter { $0 != 0 }.count == 2)
    }

    @Test("a point off the curve is refused")
    func pointOffCurve() {
        var point = [UInt8](repeating: 1, count: 65)
        point[0] = 4
        #expect(throws: OpenSSLError.self) { try ECPublicKey(point: point, curve: .p256) }
    }

    @Test("SHA-256 agrees with FIPS 180-4's example and with the empty message")
    func digest() {
        func hex(_ bytes: [UInt8]) -> String {
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        #expect(
            hex(SHA256.digest(Array("abc".utf8)))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            hex(SHA256.digest([UInt8]()))
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }
}
