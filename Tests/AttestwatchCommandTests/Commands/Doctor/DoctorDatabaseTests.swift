import Foundation
import TestSupport
import Testing

@Suite("What doctor finds in the database")
struct DoctorDatabaseTests {
    /// Something that is wrong with the database, and the line that says so.
    struct Finding: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let sql: String
        let check: String
        var state = "failed"
        let message: String
        let hint: String
        let code: Int32
        var skipped: [String] = []
    }

    @Test(
        "each is told in its own line with what to do",
        arguments: [
            Finding(
                testDescription: "migrations are missing",
                sql: "DELETE FROM attestwatch.schema_migration WHERE name >= '0009'", check: "migrations",
                message: "expected 0009_validate_schedule.sql to be applied, found it is not",
                hint: "run 'attestwatch migrate'", code: 75, skipped: ["database role"]),
            Finding(
                testDescription: "nothing was ever migrated", sql: "DROP SCHEMA attestwatch CASCADE",
                check: "migrations", message: "expected 0001_create_schema.sql to be applied, found it is not",
                hint: "run 'attestwatch migrate'", code: 75, skipped: ["database role"]),
            Finding(
                testDescription: "the database is newer",
                sql: "INSERT INTO attestwatch.schema_migration (name, checksum) VALUES ('9999_later.sql', '')",
                check: "migrations", message: "found 9999_later.sql applied", hint: "install the newer one", code: 75,
                skipped: ["database role"]),
            Finding(
                testDescription: "a migration was changed",
                sql: "UPDATE attestwatch.schema_migration SET checksum = 'ab' WHERE name LIKE '0001%'",
                check: "migrations", message: "0001_create_schema.sql: expected the text that was applied",
                hint: "never changed", code: 70, skipped: ["database role"]),
            Finding(
                testDescription: "the database is read-only",
                sql: """
                    DO $$ BEGIN EXECUTE format(
                        'ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$
                    """,
                check: "database writes",
                message: "expected a database that takes writes, found default_transaction_read_only to be on",
                hint: "made read-only", code: 75, skipped: ["database role"]),
            Finding(
                testDescription: "the database's clock is seconds ahead", sql: databaseClock(moved: "10 s"),
                check: "database clock", state: "warning",
                message: "that of the database's server, expected at most 2 s", hint: "time service", code: 0),
            Finding(
                testDescription: "the database's clock is minutes behind", sql: databaseClock(moved: "-5 min"),
                check: "database clock", message: "ahead of that of the database's server", hint: "time service",
                code: 1),
        ])
    func findings(finding: Finding) async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 1, scenario: "{}")
            try stage.makeStateFolder()
            try await test.execute(finding.sql)
            let found = try stage.diagnose()
            let line = try #require(found.lines(of: finding.check).first { $0.state == finding.state }, "\(found.text)")
            #expect(line.message.contains(finding.message), "\(line.message)")
            #expect(line.hint?.contains(finding.hint) == true, "\(line.hint ?? "no hint")")
            #expect(Set(found.checks(in: "failed")) == (finding.state == "failed" ? [finding.check] : []))
            #expect(found.checks(in: "skipped") == finding.skipped)
            #expect(found.code == finding.code)
        }
    }

    @Test("a role that may read and not write is told of")
    func role() async throws {
        try await TestDatabase.migrated { test in
            let role = "reader_" + UUID().uuidString.lowercased().filter { $0 != "-" }
            try await test.execute(
                """
                CREATE ROLE \(role) LOGIN;
                GRANT USAGE ON SCHEMA attestwatch TO \(role);
                GRANT SELECT ON ALL TABLES IN SCHEMA attestwatch TO \(role)
                """)
            let stage = try Stage(test, devices: 1, scenario: "{}")
            try stage.makeStateFolder()
            try stage.edit { $0.replace(/(dbname=attestwatch_test\w+)"/) { "\($0.1) user=\(role)\"" } }
            let found = try stage.diagnose()
            try await test.execute("DROP OWNED BY \(role); DROP ROLE \(role)")
            #expect(found.checks(in: "failed") == ["database role"])
            #expect(
                found.lines(of: "database role").map(\.message) == [
                    "expected a role that may write, found try_writing: permission denied for table worker "
                        + "(SQLSTATE 42501)"
                ])
            #expect(found.code == 75)
        }
    }

    @Test("a standby is told of, with its migrations looked at all the same")
    func standby() async throws {
        let cluster = try TestCluster()
        let test = try await cluster.migrated()
        let stage = try Stage(test, devices: 1, scenario: "{}")
        try stage.makeStateFolder()
        cluster.stop()
        try cluster.start(as: .standby)
        let found = try stage.diagnose()
        #expect(found.checks(in: "failed") == ["database writes"])
        #expect(
            found.lines(of: "database writes").map(\.message) == [
                "expected a server that takes writes, found a standby"
            ])
        #expect(found.lines(of: "migrations").map(\.state) == ["ok"])
        #expect(found.code == 75)
    }

    @Test("a connection that the configuration forbids is told with where it stands, and 78")
    func forbidden() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 1, scenario: "{}")
            try stage.makeStateFolder()
            try stage.edit {
                $0.replace(/database: "[^"]*"/, with: "database: \"host=db.example.com password=secret\"")
            }
            let found = try stage.diagnose()
            #expect(found.checks(in: "failed") == ["database connection"])
            #expect(found.lines(of: "database connection").first?.message.hasSuffix("found one") == true)
            #expect(found.code == 78)
        }
    }
}
