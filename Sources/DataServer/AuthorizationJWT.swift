import AppAttest
import FoundationEssentials
import OpenSSL

/// The credential of a request: a JWT signed with ES256 (RFC 7519, RFC 7518 § 3.4), as Apple makes them for APNs.
package struct AuthorizationJWT: Sendable, CustomStringConvertible {
    /// `iat` stands on a grid of half hours, so that every run and worker makes the same claims, and a JWT is never
    /// older than 30 minutes when it is handed out. APNs wants a new one at most every 20 and at least every 60
    /// minutes.
    package static let grid: Int64 = 30 * 60

    /// The compact form: three base64url parts with dots between.
    package let compact: String
    /// The claim `iat`.
    package let issuedAt: Instant

    /// Makes and signs one for a team.
    package init(team: TeamID, key: SigningKey, now: Instant) throws(OpenSSLError) {
        issuedAt = AuthorizationJWT.issuedAt(now)
        let header = encoded(Header(alg: "ES256", kid: key.id))
        let claims = encoded(Claims(iss: team.text, iat: issuedAt.seconds))
        let signed = "\(header).\(claims)"
        let signature = try key.key.signFixedWidth(Array(signed.utf8), hash: .sha256)
        compact = "\(signed).\(Base64.encodeURLSafe(signature))"
    }

    /// The claim `iat` of a JWT made now: the last full or half hour.
    package static func issuedAt(_ now: Instant) -> Instant {
        let step = now.seconds % grid
        return Instant(seconds: now.seconds - (step >= 0 ? step : step + grid))
    }

    package var description: String { "<redacted JWT>" }
}

private struct Header: Encodable {
    let alg: String
    let kid: String
}

private struct Claims: Encodable {
    let iss: String
    let iat: Int64
}

/// A JSON object in base64url, its keys in one order.
private func encoded(_ object: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    // Strings and whole numbers always encode.
    guard let json = try? encoder.encode(object) else { preconditionFailure("a flat object of strings and numbers") }
    return Base64.encodeURLSafe(Array(json))
}
