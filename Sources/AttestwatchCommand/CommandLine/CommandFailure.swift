import Postgres
import ReceiptStore
import Refresh
import System
import Verification

/// Why a subcommand could not do its work. Here, and nowhere else, errors become exit codes and text for people.
enum CommandFailure: Error, Hashable, Sendable {
    case usage(UsageError)
    case configuration(ConfigurationError)
    /// A setting that comes from the environment instead of the file.
    case environment(message: String, hint: String)
    case inputUnreadable(SystemError)
    case outputFailed(SystemError)
    case stateDirectory(SystemError)
    case store(StoreFailure)
    /// The connection cannot be prepared at all.
    case database(PostgresError)
    case migration(MigrationFailure)
    /// A PEM file on the command line has no certificate that can be read.
    case anchorRefused(file: String, TrustAnchorError)
    /// Apple's own root cannot be built.
    case noAppleRoot(TrustAnchorError)

    /// The exit code it ends the program with.
    var exitCode: ExitCode {
        switch self {
        case .usage: .usage
        case .configuration, .environment: .configuration
        case .inputUnreadable: .inputUnreadable
        case .outputFailed: .attention
        case .stateDirectory: .stateDirectory
        case .store(.unavailable), .store(.schemaMismatch): .database
        case .store(.statementFailed): .database
        case .database: .database
        case .migration(let failure): failure.exitCode
        case .anchorRefused: .inputUnreadable
        case .noAppleRoot: .internalError
        }
    }

    /// What was expected and found.
    var message: String {
        switch self {
        case .usage(let error): error.message
        case .configuration(let error): error.message
        case .environment(let message, _): message
        case .inputUnreadable(let error): "cannot read \(error.path): \(error.reason)"
        case .outputFailed(let error): "cannot write to \(error.path): \(error.reason)"
        case .stateDirectory(let error): "cannot use the state folder \(error.path): \(error.reason)"
        case .store(.unavailable(let message)): "the database is not available: \(message)"
        case .store(.statementFailed(let query, let state, let message)):
            "the database refused \(query): \(message) (SQLSTATE \(state))"
        case .store(.schemaMismatch(let expected, let found)):
            "expected a database at migration \(expected), found it at \(found)"
        case .database(let error): "the database is not available: \(error.words)"
        case .migration(let failure): failure.words
        case .anchorRefused(let file, let error): "\(file): \(error)"
        case .noAppleRoot(let error): "Apple's root cannot be built: \(error)"
        }
    }

    /// What to do about it.
    var hint: String? {
        switch self {
        case .usage(let error): error.hint
        case .configuration(let error): error.hint
        case .environment(_, let hint): hint
        case .inputUnreadable: "name a file that can be read, or - for standard input"
        case .outputFailed: nil
        case .stateDirectory: "it must be a folder that the user attestwatch runs as owns, with mode 0700"
        case .store(.unavailable): "the same command can be run again when the database is back"
        case .store(.statementFailed), .database: nil
        case .migration(let failure): failure.hint
        case .anchorRefused: "name a PEM file: it begins with -----BEGIN CERTIFICATE-----"
        case .noAppleRoot: "this is a fault of attestwatch or of the OpenSSL it runs with"
        case .store(.schemaMismatch(let expected, let found)):
            found < expected
                ? "run 'attestwatch migrate'" : "this attestwatch is older than the database; install the newer one"
        }
    }
}
