/// A POST request to an `https` URL.
package struct HTTPRequest: Sendable {
    /// Where to; anything but `https` is refused when sent.
    package let url: String
    /// Header lines, shared between requests.
    package let headers: RequestHeaders
    /// The body as it goes out.
    package let body: [UInt8]

    /// Puts a request together; nothing is checked before it is sent.
    package init(url: String, headers: RequestHeaders, body: [UInt8]) {
        self.url = url
        self.headers = headers
        self.body = body
    }
}
