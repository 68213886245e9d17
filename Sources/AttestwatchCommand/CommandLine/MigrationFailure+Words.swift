import Postgres
import ReceiptStore

extension MigrationFailure {
    /// What was expected and found.
    var words: String {
        switch self {
        case .database(let error): error.words
        case .fileFailed(let name, let error): "\(name) failed, and nothing of it was kept: \(error.words)"
        case .rightsFailed(let error): "every migration is applied, the roles' rights are as before: \(error.words)"
        case .fileChanged(let name, let applied, let found):
            "\(name): expected the text that was applied, SHA-256 \(applied), found \(found)"
        case .newerDatabase(let unknown): "expected no migration this program does not know, found \(unknown) applied"
        case .outOfOrder(let name, let applied): "expected \(name) to be applied before \(applied), found it was not"
        case .poolerInBetween: "expected a session of its own at the server, found a pooler in between"
        }
    }

    /// What to do about it.
    var hint: String? {
        switch self {
        case .database(.queryFailed("create_migration_ledger", PostgresError.insufficientPrivilege, _)):
            "it makes the schema: grant this login CREATE on the database"
        case .database(.queryFailed(_, PostgresError.insufficientPrivilege, _)): PostgresError.rightsHint
        case .fileFailed(_, .queryFailed(_, PostgresError.insufficientPrivilege, _)),
            .rightsFailed(.queryFailed(_, PostgresError.insufficientPrivilege, _)):
            "run it as the owner of the schema and of all that is in it"
        case .database, .fileFailed, .rightsFailed: "the same command can be run again"
        case .fileChanged, .outOfOrder: "a migration that is out is never changed; install an attestwatch that has it"
        case .newerDatabase: "this attestwatch is older than the database; install the newer one"
        case .poolerInBetween: "name the server itself in 'database' for this command, or in PGHOST and PGPORT"
        }
    }

    /// The exit code it ends the program with.
    var exitCode: ExitCode {
        switch self {
        case .database, .fileFailed, .rightsFailed, .newerDatabase: .database
        case .fileChanged, .outOfOrder: .internalError
        case .poolerInBetween: .configuration
        }
    }
}
