import FoundationEssentials
import Migrations
import Postgres
import ReceiptStore

/// A database of one test's own, on the cluster that `ops/test` starts. It is dropped when the test ends.
package struct TestDatabase: Sendable {
    /// A libpq string that leads to it.
    package let conninfo: String
    /// A connection to it.
    package let database: Database

    /// The same database over a connection of its own.
    package func anew() throws -> TestDatabase {
        TestDatabase(conninfo: conninfo, database: try Database(conninfo))
    }

    /// Runs statements.
    package func execute(_ sql: String) async throws {
        let query = Query(name: "test", sql: sql)
        try await database.perform { connection throws(PostgresError) in try connection.runScript(query) }
    }

    /// The one number that a query gives.
    package func number(_ sql: String) async throws -> Int {
        try await database.perform { connection throws(PostgresError) in
            var rows = try connection.run(Query(name: "test", sql: sql))
            _ = rows.next()
            return try rows.read()
        }
    }

    /// The first column of a query's rows, in their order.
    package func texts(_ sql: String) async throws -> [String] {
        try await database.perform { connection throws(PostgresError) in
            var rows = try connection.run(Query(name: "test", sql: sql))
            var texts: [String] = []
            while rows.next() { texts.append(try rows.read()) }
            return texts
        }
    }

    /// Lends a database with every migration applied, copied from a template that is made once.
    @discardableResult
    package static func migrated<Value: Sendable>(
        _ body: (TestDatabase) async throws -> Value
    ) async throws -> Value {
        let template = try await Template.shared.name()
        return try await lend(template: template, body)
    }

    /// Lends a database without any table.
    @discardableResult
    package static func empty<Value: Sendable>(_ body: (TestDatabase) async throws -> Value) async throws -> Value {
        try await lend(template: "template0", body)
    }

    /// The program's migration files.
    package static var files: [MigrationFile] {
        migrationFiles.map { MigrationFile(name: $0.name, text: $0.text) }
    }

    /// The program's roles and their rights.
    package static var access: AccessScripts {
        AccessScripts(
            roles: MigrationFile(name: rolesScript.name, text: rolesScript.text),
            grants: MigrationFile(name: grantsScript.name, text: grantsScript.text))
    }

    private static func lend<Value: Sendable>(
        template: String, _ body: (TestDatabase) async throws -> Value
    ) async throws -> Value {
        let server = try Server.shared.get()
        await Gate.shared.enter()
        let result = await lent(from: server, template: template, body)
        await Gate.shared.leave()
        return try result.get()
    }

    private static func lent<Value: Sendable>(
        from server: Server, template: String, _ body: (TestDatabase) async throws -> Value
    ) async -> Result<Value, any Error> {
        let name = "attestwatch_test_" + UUID().uuidString.lowercased().filter { $0 != "-" }
        let conninfo = server.conninfo(databaseName: name)
        do {
            try await server.run("CREATE DATABASE \(name) TEMPLATE \(template)")
            let result: Result<Value, any Error>
            do {
                result = .success(try await body(TestDatabase(conninfo: conninfo, database: Database(conninfo))))
            } catch {
                result = .failure(error)
            }
            try await server.run("DROP DATABASE \(name) WITH (FORCE)")
            return result
        } catch {
            return .failure(error)
        }
    }
}

/// Lets so many databases be lent at a time that the cluster's connections suffice, however many tests run side by
/// side.
private actor Gate {
    static let shared = Gate()

    private var free = 12
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    /// Hands the place to the one who has waited longest.
    func leave() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}

/// The cluster that the tests were given.
private struct Server: Sendable {
    /// The only connection to it that the tests keep.
    static let shared = Result { try Server() }

    private let conninfo: String
    private let database: Database

    init() throws {
        guard let conninfo = ProcessInfo.processInfo.environment["ATTESTWATCH_TEST_DATABASE"] else {
            throw MissingDatabase()
        }
        self.conninfo = conninfo
        self.database = try Database(conninfo)
    }

    func conninfo(databaseName: String) -> String {
        // libpq takes the last of repeated keywords.
        "\(conninfo) dbname=\(databaseName)"
    }

    func run(_ statement: String) async throws {
        try await database.perform { connection throws(PostgresError) in
            try connection.runScript(Query(name: "test_server", sql: statement))
        }
    }
}

/// The migrated database that the others are copied from; one a test process.
private actor Template {
    static let shared = Template()

    private var making: Task<String, any Error>?

    func name() async throws -> String {
        let making = making ?? Task { try await Self.make() }
        self.making = making
        return try await making.value
    }

    private static func make() async throws -> String {
        let server = try Server.shared.get()
        let name = "attestwatch_template_" + UUID().uuidString.lowercased().filter { $0 != "-" }
        try await server.run("CREATE DATABASE \(name) TEMPLATE template0")
        let migrator = Migrator(
            database: try Database(server.conninfo(databaseName: name)), files: TestDatabase.files,
            access: TestDatabase.access)
        _ = try await migrator.migrate()
        // Ends the migrator's session: a template must have none.
        try await server.run("ALTER DATABASE \(name) ALLOW_CONNECTIONS false")
        try await server.run(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '\(name)'")
        return name
    }
}

/// No cluster was named to the tests.
package struct MissingDatabase: Error, CustomStringConvertible {
    package var description: String {
        "no PostgreSQL for the tests: ATTESTWATCH_TEST_DATABASE is not set; run ops/test, which starts one"
    }
}
