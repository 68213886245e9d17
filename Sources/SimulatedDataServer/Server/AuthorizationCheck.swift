import FoundationEssentials
import OpenSSL

/// Judges the authorization JWT as Apple's server does: ES256, a known key, its team, integer `iat`, an hour at most.
package struct AuthorizationCheck {
    /// A signing key that a team has registered.
    package struct ClientKey: Sendable {
        /// The key's identifier: `kid`.
        package let identifier: String
        /// Whose key it is: `iss`.
        package let team: String
        /// Its public half.
        package let publicKey: ECPublicKey

        /// Registers a key.
        package init(identifier: String, team: String, publicKey: ECPublicKey) {
            self.identifier = identifier
            self.team = team
            self.publicKey = publicKey
        }
    }

    /// What a JWT with a good signature says.
    struct Claims {
        /// `kid`.
        let keyID: String
        /// `iss`.
        let team: String
        /// `iat`, seconds since the Unix epoch.
        let issuedAt: Int64
    }

    /// Why a request is answered 401; the words go to the ledger.
    enum Refusal: String, Error {
        case missing = "no authorization"
        case malformed = "not a JWT of three base64url parts"
        case unexpectedHeader = "alg is not ES256 or kid is missing"
        case unknownKey = "kid is not registered"
        case badSignature = "the signature does not verify"
        case unexpectedClaims = "iss is not a string or iat is not an integer"
        case foreignIssuer = "iss is not the team of kid"
        case tooOld = "iat is more than 60 minutes ago"
        case inTheFuture = "iat is in the future"
    }

    private let keys: [String: ClientKey]
    /// Signatures that were checked: clients send one JWT many times.
    private var verified: [String: Claims] = [:]

    /// Accepts these keys and no other.
    package init(keys: [ClientKey]) {
        self.keys = Dictionary(keys.map { ($0.identifier, $0) }) { _, last in last }
    }

    /// The claims of an `Authorization` header, bare or after `Bearer `.
    mutating func claims(in header: String?, now: SimulatedTime) throws(Refusal) -> Claims {
        guard let header, !header.isEmpty else { throw .missing }
        let token = header.hasPrefix("Bearer ") ? String(header.dropFirst(7)) : header
        let claims: Claims
        if let known = verified[token] {
            claims = known
        } else {
            claims = try verify(token)
            if verified.count >= Self.rememberedTokens { verified.removeAll() }
            verified[token] = claims
        }
        guard now.seconds - claims.issuedAt <= Self.maximumAgeSeconds else { throw .tooOld }
        guard claims.issuedAt - now.seconds <= Self.maximumLeadSeconds else { throw .inTheFuture }
        return claims
    }

    /// As with APNs, a token is good for an hour.
    private static let maximumAgeSeconds: Int64 = 3600
    private static let maximumLeadSeconds: Int64 = 60
    private static let rememberedTokens = 256

    private struct Header: Decodable {
        let alg: String
        let kid: String
    }

    private struct Body: Decodable {
        let iss: String
        let iat: Int64
    }

    private func verify(_ token: String) throws(Refusal) -> Claims {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = base64URL(parts[0]), let body = base64URL(parts[1]),
            let signature = base64URL(parts[2])
        else { throw .malformed }
        let decoder = JSONDecoder()
        guard let named = try? decoder.decode(Header.self, from: Data(header)), named.alg == "ES256" else {
            throw .unexpectedHeader
        }
        guard let key = keys[named.kid] else { throw .unknownKey }
        // RFC 7518 § 3.4: r ‖ s, 32 octets each; a DER signature is not accepted.
        guard signature.count == 64 else { throw .badSignature }
        let der = DER.sequence([DER.integer(Array(signature[..<32])), DER.integer(Array(signature[32...]))])
        let signed = Array("\(parts[0]).\(parts[1])".utf8)
        guard key.publicKey.verifies(signature: der, over: signed, hash: .sha256) else { throw .badSignature }
        guard let claims = try? decoder.decode(Body.self, from: Data(body)), Self.hasIntegerIssueTime(body) else {
            throw .unexpectedClaims
        }
        guard claims.iss == key.team else { throw .foreignIssuer }
        return Claims(keyID: named.kid, team: key.team, issuedAt: claims.iat)
    }

    /// Whether the number behind `"iat"` is written with digits alone: a decoder takes `1.0` and `1e9` for integers.
    private static func hasIntegerIssueTime(_ body: [UInt8]) -> Bool {
        let text = String(decoding: body, as: UTF8.self)
        guard let match = text.firstMatch(of: /"iat"\s*:\s*[0-9]+\s*([,}])/) else { return false }
        return !match.output.1.isEmpty
    }

    /// base64url without padding (RFC 7515 § 2); nil for anything else.
    private func base64URL(_ text: Substring) -> [UInt8]? {
        var standard: [UInt8] = []
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "-"): standard.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): standard.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: standard.append(octet)
            }
        }
        while !standard.count.isMultiple(of: 4) { standard.append(UInt8(ascii: "=")) }
        guard !standard.isEmpty, let decoded = Data(base64Encoded: Data(standard)) else { return nil }
        return [UInt8](decoded)
    }
}
