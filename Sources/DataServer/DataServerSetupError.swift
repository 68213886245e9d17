import OpenSSL

/// Why a client cannot be made of its settings.
package enum DataServerSetupError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The signing key does not sign.
    case cannotSign(keyID: String, OpenSSLError)
    /// The content type is no header value.
    case badContentType(String)

    package var description: String {
        switch self {
        case .cannotSign(let keyID, let error): "signing key \(keyID) does not sign: \(error)"
        case .badContentType(let text): "expected a content type of printable characters, found \"\(text)\""
        }
    }
}
