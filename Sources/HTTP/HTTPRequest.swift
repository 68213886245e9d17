/// A request to an `https` URL: a POST with its body, or a HEAD without one.
package struct HTTPRequest: Sendable {
    /// Where to; anything but `https` is refused when sent.
    package let url: String
    /// Header lines, shared between requests; nil for none beyond libcurl's own.
    package let headers: RequestHeaders?
    /// The body as it goes out; nil asks with HEAD.
    package let body: [UInt8]?

    /// Puts a POST together; nothing is checked before it is sent.
    package init(url: String, headers: RequestHeaders, body: [UInt8]) {
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// A HEAD request: it hands over nothing, and its answer shows that name, TLS and HTTP work.
    package init(headOf url: String) {
        self.url = url
        self.headers = nil
        self.body = nil
    }
}
