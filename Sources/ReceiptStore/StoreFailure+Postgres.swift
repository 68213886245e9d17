import Postgres
import Refresh

extension StoreFailure {
    /// The one place where the database's errors become the run's.
    init(_ error: PostgresError) {
        switch error {
        case .connectionFailed(let message):
            self = .unavailable(message: message)
        case .connectionLost(let query, let message):
            self = .unavailable(message: "connection lost in \(query): \(message)")
        case .noThread(let call, let code):
            self = .unavailable(message: "\(call) failed with error \(code)")
        case .queryFailed(let query, let sqlState, let message):
            self =
                error.isRetryable
                ? .unavailable(message: message)
                : .statementFailed(query: query, sqlState: sqlState, message: message)
        case .invalidConnectionString(let message):
            self = .statementFailed(query: "connect", sqlState: "08001", message: message)
        case .unexpectedValue(let query, let column, let expected, let found):
            self = .statementFailed(
                query: query, sqlState: "XX000", message: "column \(column): expected \(expected), found \(found)")
        case .unexpectedRowCount(let query, let expected, let found):
            self = .statementFailed(
                query: query, sqlState: "XX000", message: "expected \(expected) rows, found \(found)")
        }
    }
}
