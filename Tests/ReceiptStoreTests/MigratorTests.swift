import Postgres
import ReceiptStore
import Refresh
import TestSupport
import Testing

@Suite("Migrations")
struct MigratorTests {
    private let first = MigrationFile(
        name: "0001_make_a.sql", text: Array("CREATE TABLE attestwatch.a (id bigint)".utf8))
    private let second = MigrationFile(
        name: "0002_make_b.sql", text: Array("CREATE TABLE attestwatch.b (id bigint)".utf8))

    @Test("a fresh database gets every file in order, and nothing the second time")
    func fresh() async throws {
        try await TestDatabase.empty { test in
            let migrator = Migrator(database: test.database, files: TestDatabase.files)
            let names = TestDatabase.files.map(\.name)
            #expect(try await migrator.pending() == names)
            #expect(try await migrator.migrate() == Migrator.Result(present: [], applied: names))
            #expect(try await migrator.migrate() == Migrator.Result(present: names, applied: []))
            #expect(try await migrator.pending() == [])
            try await migrator.checkSchema()
        }
    }

    @Test("two at once apply each file once")
    func twoAtOnce() async throws {
        try await TestDatabase.empty { test in
            let one = Migrator(database: test.database, files: TestDatabase.files)
            let other = Migrator(database: try Database(test.conninfo), files: TestDatabase.files)
            async let left = one.migrate()
            async let right = other.migrate()
            let applied = try await [left.applied.count, right.applied.count].sorted()
            #expect(applied == [0, TestDatabase.files.count])
        }
    }

    @Test("a file changed after it was applied is refused by name")
    func changed() async throws {
        try await TestDatabase.empty { test in
            _ = try await Migrator(database: test.database, files: [first]).migrate()
            let edited = MigrationFile(name: first.name, text: first.text + Array(" ".utf8))
            let failure = await #expect(throws: MigrationFailure.self) {
                try await Migrator(database: test.database, files: [edited, second]).migrate()
            }
            guard case .fileChanged(first.name, let applied, let found) = failure else {
                Issue.record("found \(String(describing: failure))")
                return
            }
            #expect(applied != found)
        }
    }

    @Test("a database newer than the program is refused, by other commands too")
    func newer() async throws {
        try await TestDatabase.empty { test in
            _ = try await Migrator(database: test.database, files: [first, second]).migrate()
            let older = Migrator(database: test.database, files: [first])
            await #expect(throws: MigrationFailure.newerDatabase(unknown: second.name)) { try await older.migrate() }
            await #expect(throws: StoreFailure.schemaMismatch(expected: 1, found: 2)) { try await older.checkSchema() }
        }
    }

    @Test("a file put in before an applied one is refused")
    func outOfOrder() async throws {
        try await TestDatabase.empty { test in
            _ = try await Migrator(database: test.database, files: [second]).migrate()
            await #expect(throws: MigrationFailure.outOfOrder(name: first.name, applied: second.name)) {
                try await Migrator(database: test.database, files: [first, second]).migrate()
            }
        }
    }

    @Test("a file that fails leaves nothing of itself, and those before it stay")
    func failing() async throws {
        try await TestDatabase.empty { test in
            let bad = MigrationFile(
                name: "0002_fail.sql", text: Array("CREATE TABLE attestwatch.c (id bigint); SELECT 1 / 0".utf8))
            let migrator = Migrator(database: test.database, files: [first, bad])
            await #expect(
                throws: MigrationFailure.fileFailed(
                    name: bad.name,
                    .queryFailed(query: bad.name, sqlState: "22012", message: "division by zero"))
            ) { try await migrator.migrate() }
            #expect(try await migrator.pending() == [bad.name])
            _ = try await Migrator(database: test.database, files: [first, second]).migrate()
        }
    }

    @Test("a database never migrated is a mismatch")
    func neverMigrated() async throws {
        try await TestDatabase.empty { test in
            await #expect(throws: StoreFailure.schemaMismatch(expected: 2, found: 0)) {
                try await Migrator(database: test.database, files: [first, second]).checkSchema()
            }
        }
    }
}
