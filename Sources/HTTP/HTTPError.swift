/// Why no whole answer came. The texts are libcurl's own, printable and bounded; they name hosts and certificates, and
/// hold no header, body or credential.
package enum HTTPError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The host's name has no address.
    case nameResolution(String)
    /// No connection to the host.
    case connection(String)
    /// No TLS 1.2 or later with a certificate that verifies for the host.
    case tls(String)
    /// The time limit for connecting, or for the whole, has passed.
    case timeout(String)
    /// The proxy cannot be reached or does not let us through.
    case proxy(String)
    /// The connection or stream ended before the whole answer was there.
    case cut(String)
    /// The server did not begin on the request, over and over: it may be sent again at once.
    case refusedStream(String)
    /// The body is larger than the limit; with the answer's head and the body up to the limit.
    case tooLarge(HTTPResponse, limit: Int)
    /// libcurl did not take the request, for instance because its URL is not `https`.
    case notSendable(String)

    package var description: String {
        switch self {
        case .nameResolution(let text), .connection(let text), .tls(let text), .timeout(let text), .proxy(let text),
            .cut(let text), .refusedStream(let text), .notSendable(let text):
            text
        case .tooLarge(let response, let limit): "status \(response.status) with a body of over \(limit) bytes"
        }
    }
}
