import Postgres

/// Why the schema could not be brought up to this program's.
package enum MigrationFailure: Error, Hashable, Sendable {
    /// The database did not do what was asked, outside of any file.
    case database(PostgresError)
    /// A file failed; nothing of it was kept, the files before it were.
    case fileFailed(name: String, PostgresError)
    /// Every file is applied; the roles or their rights could not be brought up to date.
    case rightsFailed(PostgresError)
    /// A file was changed after it was applied. The checksums are SHA-256 in hex.
    case fileChanged(name: String, applied: String, found: String)
    /// The database has a migration that this program does not know: the database is newer than the program.
    case newerDatabase(unknown: String)
    /// The program has a file that sorts before one already applied.
    case outOfOrder(name: String, applied: String)
    /// A pooler stands between this program and the server, so that a session's lock would not hold.
    case poolerInBetween
}
