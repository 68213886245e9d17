import Postgres

extension PostgresError {
    /// The error in words, safe to log: no connection string, no value of a row.
    var words: String {
        switch self {
        case .invalidConnectionString(let message): message
        case .connectionFailed(let message): message
        case .connectionLost(let query, let message): "connection lost in \(query): \(message)"
        case .queryFailed(let query, let state, let message): "\(query): \(message) (SQLSTATE \(state))"
        case .unexpectedValue(let query, let column, let expected, let found):
            "\(query), column \(column): expected \(expected), found \(found)"
        case .unexpectedRowCount(let query, let expected, let found):
            "\(query): expected \(expected) rows, found \(found)"
        case .noThread(let call, let code): "\(call) failed with error \(code)"
        }
    }
}
