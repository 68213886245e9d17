import FoundationEssentials
import Postgres
import ReceiptStore

extension TestDatabase {
    /// Whom this database takes the test for.
    package var userName: String {
        get throws { try ConnectionSettings.parse(conninfo).user ?? "" }
    }

    /// The same server with more words of a libpq string, which go before those that are there.
    package func reached(by words: String) throws -> TestDatabase {
        // libpq takes the last of repeated keywords.
        let conninfo = "\(conninfo) \(words)"
        return TestDatabase(conninfo: conninfo, database: try Database(conninfo))
    }

    /// Lends the database as a login sees it that has these roles and no other right; the login is gone afterwards,
    /// with all that it owns here.
    ///
    /// - Parameter schema: whether a schema of its own name is there for it, as a back end has tables of its own.
    @discardableResult
    package func login<Value: Sendable>(
        _ roles: AccessRole..., withSchema schema: Bool = false, _ body: (TestDatabase) async throws -> Value
    ) async throws -> Value {
        let name = "attestwatch_test_" + UUID().uuidString.lowercased().filter { $0 != "-" }
        try await execute("CREATE ROLE \(name) LOGIN")
        let result: Result<Value, any Error>
        do {
            for role in roles { try await execute("GRANT \(role.rawValue) TO \(name)") }
            if schema { try await execute("CREATE SCHEMA \(name) AUTHORIZATION \(name)") }
            result = .success(try await body(reached(by: "user=\(name)")))
        } catch {
            result = .failure(error)
        }
        try await execute("DROP OWNED BY \(name); DROP ROLE \(name)")
        return try result.get()
    }

    /// Runs each statement by itself, as `Connection.run` does, and gives those that did not end as expected, with the
    /// SQLSTATE; what they did is undone. nil expects that they work.
    package func statements(_ statements: [String], notEndingWith sqlState: String?) async throws -> [String] {
        try await database.perform { connection throws(PostgresError) in
            var others: [String] = []
            for statement in statements {
                let found: String?
                do throws(PostgresError) {
                    try connection.rollingBack { connection throws(PostgresError) in
                        try connection.runScript(Query(name: "test", sql: statement))
                    }
                    found = nil
                } catch {
                    guard let state = error.sqlState else { throw error }
                    found = state
                }
                if found != sqlState { others.append("\(found ?? "works"): \(statement)") }
            }
            return others
        }
    }
}
