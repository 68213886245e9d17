import AppAttest
import HTTP
import OpenSSL
import Synchronization

/// A team's signing key with the one JWT that this process uses, ready as header lines.
///
/// A class because every request of the team shares the JWT.
package final class Credential: Sendable {
    private let team: TeamID
    private let key: SigningKey
    private let scheme: AuthorizationScheme
    private let contentType: String
    private let current: Mutex<Ready>

    private struct Ready: Sendable {
        let issuedAt: Instant
        let headers: RequestHeaders
    }

    /// Signs a first JWT, so that a key that cannot sign is known before anything is sent.
    package init(
        team: TeamID, key: SigningKey, scheme: AuthorizationScheme, contentType: String, now: Instant
    ) throws(DataServerSetupError) {
        self.team = team
        self.key = key
        self.scheme = scheme
        self.contentType = contentType
        current = Mutex(try Credential.make(team, key, scheme, contentType, now))
    }

    /// The header lines for a request sent now. They change when the half hour does, whichever way the clock went.
    package func headers(now: Instant) -> RequestHeaders {
        current.withLock { ready in
            if ready.issuedAt != AuthorizationJWT.issuedAt(now) {
                do throws(DataServerSetupError) {
                    ready = try Credential.make(team, key, scheme, contentType, now)
                } catch {
                    preconditionFailure("a key that has signed signs again: \(error)")
                }
            }
            return ready.headers
        }
    }

    private static func make(
        _ team: TeamID, _ key: SigningKey, _ scheme: AuthorizationScheme, _ contentType: String, _ now: Instant
    ) throws(DataServerSetupError) -> Ready {
        let jwt: AuthorizationJWT
        do throws(OpenSSLError) { jwt = try AuthorizationJWT(team: team, key: key, now: now) } catch {
            throw .cannotSign(keyID: key.id, error)
        }
        let fields = [(name: "Authorization", value: scheme.value(jwt)), (name: "Content-Type", value: contentType)]
        guard let headers = RequestHeaders(fields) else { throw .badContentType(contentType) }
        return Ready(issuedAt: jwt.issuedAt, headers: headers)
    }
}
