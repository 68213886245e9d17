import AppAttest
import DataServer
import FoundationEssentials
import OpenSSL
import Testing

@Suite("The authorization JWT")
struct AuthorizationJWTTests {
    @Test("it says what Apple asks for, and its signature verifies")
    func content() throws {
        let key = try signingKey()
        // 31 minutes past noon and a fraction.
        let now = noon + .seconds(31 * 60) + .milliseconds(250)
        let jwt = try AuthorizationJWT(team: team(), key: key, now: now)
        let parts = jwt.compact.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        try #require(parts.count == 3)
        #expect(try text(parts[0]) == #"{"alg":"ES256","kid":"KEY1234567"}"#)
        #expect(try text(parts[1]) == #"{"iat":1796041800,"iss":"A1B2C3D4E5"}"#)
        #expect(jwt.issuedAt == noon + .seconds(1_800))
        #expect(!jwt.compact.contains("="))
        let signature = try Base64.decode(parts[2])
        let publicKey = try key.key.publicKey()
        let signed = Array("\(parts[0]).\(parts[1])".utf8)
        #expect(publicKey.verifies(signature: der(signature), over: signed, hash: .sha256))
        #expect("\(jwt)" == "<redacted JWT>")
    }

    @Test("the signature is always 64 octets, short r and s included")
    func width() throws {
        let key = try signingKey()
        let publicKey = try key.key.publicKey()
        var shortNumbers = 0
        // About one number in 256 begins with a zero octet: none in 2,000 signatures would be a wonder.
        for _ in 0..<2_000 {
            let jwt = try AuthorizationJWT(team: team(), key: key, now: noon)
            let dot = try jwt.compact.lastIndex(of: ".").unwrapped()
            let signature = try Base64.decode(String(jwt.compact[jwt.compact.index(after: dot)...]))
            try #require(signature.count == 64)
            guard signature[0] == 0 || signature[32] == 0 else { continue }
            shortNumbers += 1
            let signed = Array(jwt.compact[..<dot].utf8)
            #expect(publicKey.verifies(signature: der(signature), over: signed, hash: .sha256))
        }
        #expect(shortNumbers > 0)
    }

    @Test(
        "iat is the last full or half hour",
        arguments: [(0, 0), (1, 0), (1_799, 0), (1_800, 1_800), (3_599, 1_800), (3_600, 3_600), (-1, -1_800)])
    func grid(offset: Int64, expected: Int64) {
        let issuedAt = AuthorizationJWT.issuedAt(noon + .seconds(offset) + .microseconds(999_999))
        #expect(issuedAt == noon + .seconds(expected))
    }

    @Test("requests of half an hour share one JWT, which changes with the half hour, whichever way the clock went")
    func sharing() throws {
        let credential = try Credential(
            team: team(), key: signingKey(), scheme: .bare, contentType: "application/octet-stream", now: noon)
        let first = credential.headers(now: noon)
        #expect(credential.headers(now: noon + .seconds(1_799)) === first)
        let ahead = credential.headers(now: noon + .hours(5))
        #expect(ahead !== first)
        #expect(credential.headers(now: noon + .hours(5) + .minutes(29)) === ahead)
        #expect(credential.headers(now: noon - .hours(3)) !== ahead)
    }

    @Test("a content type that is no header value is refused before anything is sent")
    func contentType() {
        #expect(throws: DataServerSetupError.badContentType("text/plain\r\nX: y")) {
            try Credential(
                team: team(), key: signingKey(), scheme: .bare, contentType: "text/plain\r\nX: y", now: noon)
        }
    }

    private func text(_ part: String) throws -> String {
        String(decoding: try Base64.decode(part), as: UTF8.self)
    }

    /// r ‖ s as DER: SEQUENCE of two INTEGERs.
    private func der(_ fixed: [UInt8]) -> [UInt8] {
        func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            var digits = Array(bytes.drop { $0 == 0 })
            if digits.isEmpty || digits[0] >= 0x80 { digits.insert(0, at: 0) }
            return [0x02, UInt8(digits.count)] + digits
        }
        let numbers = integer(fixed[..<32]) + integer(fixed[32...])
        return [0x30, UInt8(numbers.count)] + numbers
    }
}
