import Postgres
import Refresh

/// Applies the migration files, forward only, each in a transaction of its own, and records the checksum of each; then
/// gives the roles their rights.
///
/// Two at once are safe: the second waits for the first and finds nothing left to do. That takes the one session lock
/// of this program, so it needs a session of its own and refuses to work through a pooler.
package struct Migrator: Sendable {
    private let database: Database
    private let files: [MigrationFile]
    private let access: AccessScripts?

    /// A migrator for these files, in the order of their names. Without `access` roles and rights stay as they are.
    package init(database: Database, files: [MigrationFile], access: AccessScripts? = nil) {
        self.database = database
        self.files = files.sorted { $0.name < $1.name }
        self.access = access
    }

    /// What `migrate` did.
    package struct Result: Hashable, Sendable {
        /// Files that had been applied before, in order.
        package let present: [String]
        /// Files that were applied now, in order.
        package let applied: [String]
        /// Roles that there are none of, because this login may make none.
        package let missingRoles: [AccessRole]

        /// Puts the lists together.
        package init(present: [String], applied: [String], missingRoles: [AccessRole] = []) {
            self.present = present
            self.applied = applied
            self.missingRoles = missingRoles
        }
    }

    /// Brings the schema up to the last file, and the rights up to the scripts of this program.
    package func migrate() async throws(MigrationFailure) -> Result {
        let (files, access) = (files, access)
        let result: Swift.Result<Result, MigrationFailure>
        do {
            result = try await database.perform { connection throws(PostgresError) in
                // A pooler makes up the process it announces.
                guard connection.announcedProcess == (try connection.backendProcess()) else {
                    return .failure(.poolerInBetween)
                }
                try connection.run(.lockMigrations)
                defer { _ = try? connection.run(.unlockMigrations) }
                try connection.createLedger()
                return try connection.apply(files, access)
            }
        } catch {
            throw .database(error)
        }
        return try result.get()
    }

    /// The files not applied yet, in order, and the checks of `migrate`, without changing anything.
    package func pending() async throws(MigrationFailure) -> [String] {
        let files = files
        let result: Swift.Result<[MigrationFile], MigrationFailure>
        do {
            result = try await database.perform { connection throws(PostgresError) in
                guard try connection.hasLedger() else { return .success(files) }
                return try connection.pending(of: files)
            }
        } catch {
            throw .database(error)
        }
        return try result.get().map(\.name)
    }

    /// Whether the schema is the one this program was built for.
    ///
    /// - Throws: `schemaMismatch` with the number of the last file expected and found.
    package func checkSchema() async throws(StoreFailure) {
        let expected = files.last?.number ?? 0
        let found: Int
        do {
            found = try await database.perform { connection throws(PostgresError) in
                guard try connection.hasLedger() else { return 0 }
                return try connection.ledger().last.map { MigrationFile(name: $0.name, text: []).number } ?? 0
            }
        } catch {
            throw StoreFailure(error)
        }
        guard found == expected else { throw .schemaMismatch(expected: expected, found: found) }
    }
}

/// A row of `attestwatch.schema_migration`.
private struct AppliedFile {
    let name: String
    let checksum: String
}

extension Connection {
    fileprivate func backendProcess() throws(PostgresError) -> Int {
        try one(.backendProcess) { rows throws(PostgresError) in try rows.read() }
    }

    fileprivate func hasLedger() throws(PostgresError) -> Bool {
        try one(.migrationLedgerExists) { rows throws(PostgresError) in try rows.read() }
    }

    fileprivate func createLedger() throws(PostgresError) {
        // Asked first, because CREATE SCHEMA IF NOT EXISTS wants the right to create one even where it exists.
        if try hasLedger() { return }
        try transaction { connection throws(PostgresError) in
            try connection.run(.actAsOwner)
            try connection.runScript(.createMigrationLedger)
        }
    }

    fileprivate func ledger() throws(PostgresError) -> [AppliedFile] {
        try all(.appliedMigrations) { rows throws(PostgresError) in
            AppliedFile(name: try rows.read(), checksum: try rows.read())
        }
    }

    /// The files behind the last applied one, once the applied ones are seen to be the same.
    fileprivate func pending(
        of files: [MigrationFile]
    ) throws(PostgresError) -> Swift.Result<[MigrationFile], MigrationFailure> {
        let ledger = try ledger()
        for (index, applied) in ledger.enumerated() {
            guard let file = files.first(where: { $0.name == applied.name }) else {
                return .failure(.newerDatabase(unknown: applied.name))
            }
            guard files[index].name == applied.name else {
                return .failure(.outOfOrder(name: files[index].name, applied: applied.name))
            }
            let checksum: String = try one(.checksum, [.bytes(file.text)]) { rows throws(PostgresError) in
                try rows.read()
            }
            guard checksum == applied.checksum else {
                return .failure(.fileChanged(name: file.name, applied: applied.checksum, found: checksum))
            }
        }
        return .success(Array(files.dropFirst(ledger.count)))
    }

    fileprivate func apply(
        _ files: [MigrationFile], _ access: AccessScripts?
    ) throws(PostgresError) -> Swift.Result<Migrator.Result, MigrationFailure> {
        switch try pending(of: files) {
        case .failure(let failure): return .failure(failure)
        case .success(let pending):
            for file in pending {
                do {
                    try apply(file)
                } catch {
                    return .failure(.fileFailed(name: file.name, error))
                }
            }
            let missing: [AccessRole]
            do {
                missing = try access?.apply(on: self) ?? []
            } catch {
                return .failure(.rightsFailed(error))
            }
            let present = files.dropLast(pending.count).map(\.name)
            return .success(
                Migrator.Result(present: present, applied: pending.map(\.name), missingRoles: missing))
        }
    }

    private func apply(_ file: MigrationFile) throws(PostgresError) {
        try transaction { connection throws(PostgresError) in
            try connection.run(.actAsOwner)
            try connection.runScript(Query(file))
            try connection.run(.recordMigration, [.text(file.name), .bytes(file.text)])
        }
    }
}
