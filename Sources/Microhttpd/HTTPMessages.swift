/// A whole request.
package struct HTTPRequest: Sendable {
    /// `POST`, for instance.
    package let method: String
    /// The path, without a query.
    package let path: String
    /// The whole body.
    package let body: [UInt8]
    /// The headers that the server was told to keep, by the name it was told; absent ones are absent.
    package let headers: [String: String]
}

/// What to answer.
package struct HTTPResponse: Sendable {
    /// The status code.
    package var status: UInt32
    /// Headers in the order they are sent.
    package var headers: [(name: String, value: String)]
    /// The body.
    package var body: [UInt8]
    /// How long the answer is held back; the other requests go on.
    package var delayMilliseconds: Int64
    /// Breaks the connection off after half of the announced body.
    package var isCutInHalf = false

    /// Puts an answer together.
    package init(
        status: UInt32, headers: [(name: String, value: String)] = [], body: [UInt8] = [], delayMilliseconds: Int64 = 0
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.delayMilliseconds = delayMilliseconds
    }
}
