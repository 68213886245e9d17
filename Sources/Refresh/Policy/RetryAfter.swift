import AppAttest

/// `Retry-After` as written; a date counts from the reply's own `Date`.
package enum RetryAfter: Hashable, Sendable {
    /// So many seconds after the reply.
    case delay(seconds: Int64)
    /// At this time by the server's clock.
    case date(Instant)
}
