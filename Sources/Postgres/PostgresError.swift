/// Why the database did not do what was asked. Messages are the first line of the server's or libpq's, safe to log.
package enum PostgresError: Error, Hashable, Sendable {
    /// The connection string is none; quoted parts of `message` are left out, as they may hold a password.
    case invalidConnectionString(message: String)
    /// No connection could be made.
    case connectionFailed(message: String)
    /// The connection broke during a query, whose effect is unknown unless it ran in a transaction.
    case connectionLost(query: String, message: String)
    /// The server refused a query. `sqlState` is the five-character code (PostgreSQL, Appendix A).
    case queryFailed(query: String, sqlState: String, message: String)
    /// A row does not hold what the program reads from it.
    case unexpectedValue(query: String, column: String, expected: String, found: String)
    /// Another number of rows than the query must give.
    case unexpectedRowCount(query: String, expected: Int, found: Int)
    /// The system has no thread left for the connection.
    case noThread(call: String, code: Int32)

    /// Whether the same work may well succeed later without anybody changing anything.
    package var isRetryable: Bool {
        switch self {
        case .connectionFailed, .connectionLost, .noThread: true
        case .queryFailed(_, let sqlState, _): Self.isRetryable(sqlState)
        case .invalidConnectionString, .unexpectedValue, .unexpectedRowCount: false
        }
    }

    /// Whether the transaction lost a race with another and may be run again at once.
    package var isRace: Bool {
        // serialization_failure and deadlock_detected
        if case .queryFailed(_, let sqlState, _) = self { return ["40001", "40P01"].contains(sqlState) }
        return false
    }

    /// Whether a value in the query was at fault: classes 22 (data exception) and 23 (constraint violation).
    package var isDataFault: Bool {
        if case .queryFailed(_, let sqlState, _) = self { return ["22", "23"].contains(sqlState.prefix(2)) }
        return false
    }

    /// The server's five-character code; nil for errors that are not its own.
    package var sqlState: String? {
        if case .queryFailed(_, let sqlState, _) = self { return sqlState }
        return nil
    }

    private static func isRetryable(_ sqlState: String) -> Bool {
        switch sqlState.prefix(2) {
        case "08", "53": true  // connection exception, insufficient resources
        case "57": sqlState != "57014" && sqlState != "57P04"  // shutdowns; not a cancelled query or a dropped database
        // read_only_sql_transaction (a standby), races, lock_not_available
        default: ["25006", "40001", "40P01", "55P03"].contains(sqlState)
        }
    }
}

extension String {
    /// The first line of a message of several.
    var firstLine: String {
        String(prefix { !$0.isNewline })
    }

    /// The message without what stands between double quotes.
    var withoutQuotedParts: String {
        split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .map { $0.offset.isMultiple(of: 2) ? String($0.element) : "…" }
            .joined(separator: "\"")
    }
}
