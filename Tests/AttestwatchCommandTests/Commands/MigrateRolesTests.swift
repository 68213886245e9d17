import AttestwatchCommand
import Foundation
import Postgres
import ReceiptStore
import TestSupport
import Testing

@Suite("migrate and the roles of a cluster", .ownThreads)
struct MigrateRolesTests {
    private static let names = ["attestwatch_worker", "attestwatch_backend", "attestwatch_analyst"]

    /// A database on the cluster, as this user.
    private func database(_ cluster: TestCluster, _ name: String, user: String = "postgres") throws -> TestDatabase {
        try cluster.database().reached(by: "dbname=\(name) user=\(user)")
    }

    private func migrate(_ test: TestDatabase) async throws -> CommandRunner.Result {
        let attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        let file = try attestwatch.file(
            "a.json5",
            """
            {database: "\(test.conninfo)",
             apps: [{app_id: "A1B2C3D4E5.com.example", signing_keys: [{id: "ABC123DEFG", file: "k.p8"}]}]}
            """)
        return try await attestwatch("migrate", "--config", file)
    }

    /// The roles that have any right on the schema.
    private func granted(_ test: TestDatabase) async throws -> [String] {
        try await test.texts(
            """
            SELECT acl.grantee::regrole::text
            FROM pg_namespace
            CROSS JOIN LATERAL aclexplode(nspacl) AS acl
            WHERE nspname = 'attestwatch' AND acl.grantee <> nspowner
            ORDER BY 1
            """)
    }

    @Test("an administrator who migrates an owner's schema makes nothing that is the administrator's")
    func administrator() async throws {
        let cluster = try TestCluster()
        let administrator = try cluster.database()
        try await administrator.execute("CREATE ROLE \"the owner\"")
        try await administrator.execute("CREATE DATABASE one OWNER \"the owner\"")
        let one = try database(cluster, "one")
        try await one.execute("CREATE SCHEMA attestwatch AUTHORIZATION \"the owner\"")
        #expect(try await migrate(one).code == .success)
        let others = """
            SELECT count(*) FROM pg_proc WHERE pronamespace = 'attestwatch'::regnamespace
                AND proowner <> '"the owner"'::regrole
            """
        #expect(try await one.number(others) == 0)
        #expect(
            try await one.number("SELECT count(*) FROM pg_proc WHERE pronamespace = 'attestwatch'::regnamespace") > 0)
    }

    @Test("an owner who may not make roles migrates all the same, and prints what somebody else has to run")
    func withoutCreateRole() async throws {
        let cluster = try TestCluster()
        let administrator = try cluster.database()
        try await administrator.execute("CREATE ROLE owner LOGIN")
        try await administrator.execute("CREATE DATABASE one OWNER owner")
        let owner = try database(cluster, "one", user: "owner")
        let attestwatch = try CommandRunner()
        let printed = try await attestwatch("migrate", "--print-roles")
        try attestwatch.remove()
        #expect(printed.code == .success && printed.errors == "")
        for name in Self.names { #expect(printed.output.contains("'\(name)'")) }

        for isFirst in [true, false] {
            let found = try await migrate(owner)
            #expect(found.code == .success)
            #expect(found.output.contains("applied 0001_create_schema.sql\n") == isFirst)
            #expect(found.output.hasSuffix("\n\(printed.output)"))
            #expect(
                found.errors.hasPrefix(
                    """
                    attestwatch: warning: expected the roles \(Self.names.joined(separator: ", ")), found none, \
                    and this login may not make roles
                    hint:
                    """))
        }
        #expect(try await granted(owner) == [])

        // Whoever may make roles runs the script, twice by mistake, in a database of their own.
        try await administrator.execute(printed.output)
        try await administrator.execute(printed.output)
        let later = try await migrate(owner)
        #expect(later.code == .success && later.errors == "")
        #expect(later.output.hasPrefix("nothing to do, "))
        #expect(try await granted(owner) == Self.names.sorted())
        #expect(
            try await administrator.texts(
                "SELECT rolname::text FROM pg_roles WHERE rolname LIKE 'attestwatch%' AND (rolcanlogin OR rolsuper)")
                == [])
    }

    @Test("a role that one of several makes is made; those that are there are left as they are")
    func someThere() async throws {
        let cluster = try TestCluster()
        let administrator = try cluster.database()
        try await administrator.execute("CREATE ROLE attestwatch_analyst NOLOGIN CONNECTION LIMIT 3")
        try await administrator.execute(
            "CREATE ROLE maker LOGIN CREATEROLE; GRANT CREATE ON DATABASE postgres TO maker")
        let found = try await migrate(try database(cluster, "postgres", user: "maker"))
        #expect(found.code == .success && found.errors == "")
        #expect(try await granted(administrator) == Self.names.sorted())
        #expect(
            try await administrator.number(
                "SELECT rolconnlimit::bigint FROM pg_roles WHERE rolname = 'attestwatch_analyst'") == 3)
    }

    @Test("several databases of one cluster migrated at once make the roles once and give each its rights")
    func severalDatabases() async throws {
        let cluster = try TestCluster()
        let administrator = try cluster.database()
        let names = ["one", "two", "three"]
        for name in names { try await administrator.execute("CREATE DATABASE \(name)") }
        let databases = try names.map { try database(cluster, $0) }
        // One of them has begun and not ended, so the others meet its roles when it does.
        let (begun, ended) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        let first = Task {
            try await administrator.database.perform { connection throws(PostgresError) in
                try connection.runScript(Query(name: "test", sql: "BEGIN; CREATE ROLE attestwatch_worker NOLOGIN"))
            }
            begun.continuation.finish()
            for await _ in ended.stream {}
            try await administrator.execute("COMMIT")
        }
        for await _ in begun.stream {}
        let migrations = databases.map { test in
            Task {
                try await Migrator(
                    database: test.database, files: TestDatabase.files, access: TestDatabase.access
                ).migrate()
            }
        }
        let observer = try cluster.database()
        while try await observer.number("SELECT count(*) FROM pg_locks WHERE NOT granted") < names.count {
            await Task.yield()
        }
        ended.continuation.finish()
        try await first.value
        for migration in migrations { #expect(try await migration.value.missingRoles == []) }
        for test in databases { #expect(try await granted(test) == Self.names.sorted()) }
    }

    @Test("who does not own the schema changes no rights")
    func notOwner() async throws {
        let cluster = try TestCluster()
        let test = try await cluster.migrated()
        try await test.execute("CREATE ROLE worker LOGIN IN ROLE attestwatch_worker")
        let found = try await migrate(try database(cluster, "postgres", user: "worker"))
        #expect(found.code == .success && found.errors == "" && found.output.hasPrefix("nothing to do, "))
        #expect(try await granted(test) == Self.names.sorted())

        try await test.execute("DELETE FROM attestwatch.schema_migration WHERE name >= '0015'")
        let pending = try await migrate(try database(cluster, "postgres", user: "worker"))
        #expect(pending.code == .database && pending.errors.contains("0015_validate_reviews.sql failed, and nothing"))
        #expect(pending.errors.hasSuffix("\nhint: run it as the owner of the schema and of all that is in it\n"))
        try await test.execute("CREATE DATABASE other")
        let fresh = try await migrate(try database(cluster, "other", user: "worker"))
        #expect(fresh.code == .database)
        #expect(
            fresh.errors.hasSuffix("\nhint: it makes the schema: grant this login CREATE on the database\n"))
    }

    @Test("README's GRANT statements give logins their roles")
    func readme() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let blocks = readme.matches(of: /```sql\n([^`]*)```/).map { String($0.1) }.filter { $0.contains("GRANT ") }
        let cluster = try TestCluster()
        let test = try await cluster.migrated()
        #expect(blocks.count == 1)
        for block in blocks { try await test.execute(block) }
        let members = try await test.texts(
            """
            SELECT DISTINCT roleid::regrole::text FROM pg_auth_members
            JOIN pg_roles ON pg_roles.oid = member WHERE rolcanlogin ORDER BY 1
            """)
        #expect(members == Self.names.sorted())
    }
}
