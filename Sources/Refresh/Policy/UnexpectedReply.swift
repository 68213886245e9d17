/// An answer outside Apple's table.
package enum UnexpectedReply: Hashable, Sendable {
    /// A status that the table does not name, 3xx among them; redirects are never followed.
    case status(Int)
    /// Over 64 KiB.
    case tooLarge
    /// 200 with a body that is empty or not base64.
    case notBase64
}
