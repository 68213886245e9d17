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
