import AppAttest

/// A reply with what is worth keeping beside it.
package struct DataServerReply: Hashable, Sendable {
    /// What it means.
    package let reply: Reply
    /// HTTP status, nil when no answer came.
    package let status: Int?
    /// The reply's `Date` header.
    package let date: Instant?
    /// `x-b3-traceid` and `x-b3-spanid`, limited to 64 safe characters each.
    package let traceID: String?
    /// `x-b3-spanid`, limited likewise.
    package let spanID: String?
    /// How an error body begins, at most 200 characters that are safe to log; nil for a 200, whose body is a receipt.
    package let excerpt: String?
    /// The place among the app's signing keys of the one that was refused, where another is left to try; else nil.
    package var refusedKey: Int?

    /// Puts the parts together; nothing is checked.
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
