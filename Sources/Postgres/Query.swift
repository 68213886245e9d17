/// A statement with a name. Its text is static: values go in as parameters only.
///
/// The name leads the text as a comment, so that `pg_stat_activity` and the server's log show who asks.
package struct Query: Hashable, Sendable {
    /// A word for errors and logs, such as `due_receipts`.
    package let name: String
    /// The statement as it is sent.
    package let text: String

    /// Names a statement.
    package init(name: String, sql: String) {
        self.name = name
        self.text = "/* attestwatch: \(name) */ \(sql)"
    }
}
