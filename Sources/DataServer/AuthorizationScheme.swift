/// How the JWT stands in the `Authorization` header. Apple's example shows it bare; some clients write `Bearer`
/// before it.
package enum AuthorizationScheme: String, Hashable, Sendable, CaseIterable {
    /// The JWT and nothing else.
    case bare
    /// `Bearer`, a space, the JWT.
    case bearer

    /// The header's value.
    func value(_ jwt: AuthorizationJWT) -> String {
        switch self {
        case .bare: jwt.compact
        case .bearer: "Bearer \(jwt.compact)"
        }
    }
}
