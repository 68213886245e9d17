/// Why the store could not do its work.
package enum StoreFailure: Error, Hashable, Sendable {
    /// The database is away, read-only or shutting down; try again later. `message` is libpq's first line.
    case unavailable(message: String)
    /// A statement failed for good.
    case statementFailed(query: String, sqlState: String, message: String)
    /// The schema is not the one this program was built for.
    case schemaMismatch(expected: Int, found: Int)
}
