import DataServer
import Postgres
import ReceiptStore
import Refresh
import System
import Verification

/// Why a subcommand could not do its work. Here, and nowhere else, errors become exit codes and text for people.
enum CommandFailure: Error, Hashable, Sendable {
    /// The command line is wrong.
    case usage(UsageError)
    /// The configuration is wrong.
    case configuration(ConfigurationError)
    /// A file named on the command line cannot be read.
    case inputUnreadable(SystemError)
    /// A file named on the command line can be read, but not understood at all.
    case inputNotUnderstood(String, CSVHeaderError)
    /// A file named on the command line cannot be read beyond some line.
    case inputDamaged(String, CSVDamage)
    /// Results cannot be written.
    case outputFailed(SystemError)
    /// The state folder cannot be used.
    case stateDirectory(String, reason: String)
    /// The database is away or refuses.
    case store(StoreFailure)
    /// The connection cannot be prepared at all.
    case database(PostgresError)
    /// The schema cannot be brought up to date.
    case migration(MigrationFailure)
    /// A PEM file on the command line has no certificate that can be read.
    case anchorRefused(file: String, TrustAnchorError)
    /// Apple's own root cannot be built.
    case noAppleRoot(TrustAnchorError)
    /// The client of the data server cannot be made of the settings.
    case dataServerSetup(DataServerSetupError)
    /// The system has no threads or descriptors left.
    case system(SystemError)
    /// The process may open too few files for its work.
    case descriptorsShort(expected: Int, found: Int)

    /// The exit code it ends the program with.
    var exitCode: ExitCode {
        switch self {
        case .usage: .usage
        case .configuration, .system, .descriptorsShort: .configuration
        case .inputUnreadable, .inputNotUnderstood, .inputDamaged: .inputUnreadable
        case .outputFailed: .attention
        case .stateDirectory: .stateDirectory
        case .store, .database: .database
        case .migration(let failure): failure.exitCode
        case .anchorRefused: .inputUnreadable
        case .noAppleRoot, .dataServerSetup: .internalError
        }
    }

    /// What was expected and found.
    var message: String {
        switch self {
        case .usage(let error): error.message
        case .configuration(let error): error.message
        case .inputUnreadable(let error): "cannot read \(error.path): \(error.reason)"
        case .inputNotUnderstood(let name, let error): "\(name): \(error.message)"
        case .inputDamaged(let name, let damage): "\(name): \(damage.description)"
        case .outputFailed(let error): "cannot write to \(error.path): \(error.reason)"
        case .stateDirectory(let path, let reason): "cannot use the state folder \(path): \(reason)"
        case .store(.unavailable(let message)): "the database is not available: \(message)"
        case .store(.statementFailed(let query, let state, let message)):
            "the database refused \(query): \(message) (SQLSTATE \(state))"
        case .store(.schemaMismatch(let expected, let found)):
            "expected a database at migration \(expected), found it at \(found)"
        case .database(let error): "the database is not available: \(error.words)"
        case .migration(let failure): failure.words
        case .anchorRefused(let file, let error): "\(file): \(error)"
        case .noAppleRoot(let error): "Apple's root cannot be built: \(error)"
        case .dataServerSetup(let error): error.description
        case .system(let error): "\(error.call) failed: \(error.reason)"
        case .descriptorsShort(let expected, let found):
            "expected a limit of at least \(expected) open files, found \(found)"
        }
    }

    /// What to do about it.
    var hint: String? {
        switch self {
        case .usage(let error): error.hint
        case .configuration(let error): error.hint
        case .inputUnreadable: "name a file that can be read, or - for standard input"
        case .inputNotUnderstood(_, let error): error.hint
        case .inputDamaged:
            "mend that line; the same command then takes in the rows from there on, and finds those before unchanged"
        case .outputFailed: nil
        case .stateDirectory:
            "it must be a folder of the user that attestwatch runs as, with mode 0700 "
                + "(systemd: StateDirectoryMode=0700)"
        case .store(.unavailable): "the same command can be run again when the database is back"
        case .store(.statementFailed(_, PostgresError.insufficientPrivilege, _)): PostgresError.rightsHint
        case .store(.statementFailed), .database, .dataServerSetup: nil
        case .migration(let failure): failure.hint
        case .anchorRefused: "name a PEM file: it begins with -----BEGIN CERTIFICATE-----"
        case .system: "has this user's limit of threads or open files been reached?"
        case .descriptorsShort: "raise it: ulimit -n, or LimitNOFILE= in the unit"
        case .noAppleRoot: "this is a fault of attestwatch or of the OpenSSL it runs with"
        case .store(.schemaMismatch(let expected, let found)):
            found < expected
                ? "run 'attestwatch migrate'" : "this attestwatch is older than the database; install the newer one"
        }
    }
}
