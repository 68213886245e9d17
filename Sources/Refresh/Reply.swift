import AppAttest

/// What the data server's answer *means on the wire*. What we do about it is `ReplyPolicy`'s matter.
package enum Reply: Hashable, Sendable {
    /// 200 with a body that is base64: the octets it stands for, not yet verified.
    case receipt(ReceiptBytes)
    /// 304: the receipt's not-before has not passed, says the server.
    case notModified
    /// 400 whose body says "Incorrect Environment".
    case incorrectEnvironment
    /// Any other 400.
    case badRequest
    /// 401 or 403.
    case unauthorized
    /// 404: no data.
    case noData
    /// 429.
    case tooManyRequests(RetryAfter?)
    /// 5xx.
    case serverFailure
    /// No whole answer came.
    case unreachable(TransportFailure)
    /// GOAWAY or a refused stream: the server did not begin on the request, it may be sent again at once.
    case refusedStream
    /// Anything else.
    case unexpected(UnexpectedReply)
}

/// `Retry-After` as written; a date counts from the reply's own `Date`.
package enum RetryAfter: Hashable, Sendable {
    case delay(seconds: Int64)
    case date(Instant)
}

/// Why no whole answer came.
package enum TransportFailure: String, Hashable, Sendable, CaseIterable {
    case nameResolution = "name_resolution"
    case connection
    case tls
    case timeout
    case proxy
    /// The connection ended inside an answer.
    case cut
}

/// An answer outside Apple's table.
package enum UnexpectedReply: Hashable, Sendable {
    /// A status that the table does not name, 3xx among them; redirects are never followed.
    case status(Int)
    /// Over 64 KiB.
    case tooLarge
    /// 200 with a body that is empty or not base64.
    case notBase64
}

/// A reply with what is worth keeping beside it.
package struct DataServerReply: Hashable, Sendable {
    package let reply: Reply
    /// HTTP status, nil when no answer came.
    package let status: Int?
    /// The reply's `Date` header.
    package let date: Instant?
    /// `x-b3-traceid` and `x-b3-spanid`, limited to 64 safe characters each.
    package let traceID: String?
    package let spanID: String?
    /// The first 200 safe characters of an error body; nil for a 200, whose body is a receipt.
    package let excerpt: String?

    package init(
        reply: Reply, status: Int?, date: Instant?, traceID: String?, spanID: String?, excerpt: String?
    ) {
        self.reply = reply
        self.status = status
        self.date = date
        self.traceID = traceID
        self.spanID = spanID
        self.excerpt = excerpt
    }
}
