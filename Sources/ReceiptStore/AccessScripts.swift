import Postgres

/// The roles that rights are given to. They belong to a whole cluster, and none can log in.
package enum AccessRole: String, CaseIterable, Sendable {
    /// Runs every command but `migrate`.
    case worker = "attestwatch_worker"
    /// Hands receipts over and asks for levels.
    case backend = "attestwatch_backend"
    /// Reads what is flagged, and reviews it.
    case analyst = "attestwatch_analyst"
}

/// What makes the roles and gives them their rights. Both can be run again, and neither is recorded.
package struct AccessScripts: Hashable, Sendable {
    /// Makes the roles that are missing; needs the right to make roles.
    package let roles: MigrationFile
    /// Gives the roles that there are their rights; needs the schema's owner, with every migration applied.
    package let grants: MigrationFile

    /// Puts the two together.
    package init(roles: MigrationFile, grants: MigrationFile) {
        self.roles = roles
        self.grants = grants
    }

    /// Runs both in one transaction as far as this login may, and gives the roles that are still missing; none where
    /// the login does not own the schema, for then the rights are another's to give.
    func apply(on connection: borrowing Connection) throws(PostgresError) -> [AccessRole] {
        try connection.transaction { connection throws(PostgresError) in
            let (ownsSchema, mayMakeRoles) = try connection.one(.rightsOfMigrator) {
                rows throws(PostgresError) -> (Bool, Bool) in (try rows.read(), try rows.read())
            }
            guard ownsSchema else { return [] }
            if mayMakeRoles { try connection.runScript(Query(roles)) }
            try connection.runScript(Query(grants))
            let roles = AccessRole.allCases.map(\.rawValue)
            return try connection.all(.missingRoles, [.texts(roles)]) { rows throws(PostgresError) in try rows.word() }
        }
    }
}

extension Query {
    /// A file's statements.
    init(_ file: MigrationFile) {
        self.init(name: file.name, sql: String(decoding: file.text, as: UTF8.self))
    }
}
