import AppAttest
import Postgres
import Refresh

/// Takes everything out that is known of a user, a device or a key.
package struct PostgresErasureStore: Sendable {
    private let database: Database
    private let rules: StoreRules

    /// A store on this database, which must be migrated (`Migrator.checkSchema`).
    package init(database: Database, rules: StoreRules) {
        self.database = database
        self.rules = rules
    }

    /// Erases what is selected, all or nothing. Where nothing is on record nothing happens, so a second time too.
    ///
    /// A run that has an answer for one of the keys on its way finds no key to store it to.
    package func erase(_ selection: ErasureSelection, now: Instant) async throws(StoreFailure) -> Erasure {
        let transaction = ErasureTransaction(selection: selection, rules: rules, now: now)
        return try await database.storing { connection throws(PostgresError) in
            try transaction.erase(on: connection)
        }
    }

    /// What `erase` would do: it is done and taken back, so the counts are the same.
    package func rehearse(_ selection: ErasureSelection, now: Instant) async throws(StoreFailure) -> Erasure {
        let transaction = ErasureTransaction(selection: selection, rules: rules, now: now)
        return try await database.reading { connection throws(PostgresError) in
            try connection.rollingBack { connection throws(PostgresError) in try transaction.erase(on: connection) }
        }
    }

    /// Those of these keys that are on record.
    package func onRecord(_ keys: Set<KeyIdentifier>) async throws(StoreFailure) -> Set<KeyIdentifier> {
        let keys = Array(keys)
        return try await database.reading { connection throws(PostgresError) in
            Set(try KnownKey.read(keys, on: connection).keys)
        }
    }
}
