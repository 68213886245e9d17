import Postgres

extension PostgresError {
    /// PostgreSQL, Appendix A: insufficient_privilege.
    static let insufficientPrivilege = "42501"
    /// What to do about it.
    static let rightsHint =
        "grant this login the role attestwatch_worker; 'attestwatch migrate', run as the schema's owner, gives that "
        + "its rights"

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
