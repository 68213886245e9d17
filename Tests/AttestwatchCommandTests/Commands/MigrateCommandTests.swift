import AttestwatchCommand
import Foundation
import TestSupport
import Testing

@Suite("migrate")
struct MigrateCommandTests {
    private func configuration(_ attestwatch: CommandRunner, database: String) throws -> String {
        let quoted = String(decoding: try JSONEncoder().encode(database), as: UTF8.self)
        return try attestwatch.file(
            "a.json5",
            """
            {database: \(quoted),
             apps: [{app_id: "A1B2C3D4E5.com.example", signing_keys: [{id: "ABC123DEFG", file: "k.p8"}]}]}
            """)
    }

    @Test("migrate applies every migration, and nothing the second time")
    func migrates() async throws {
        try await TestDatabase.empty { test in
            let attestwatch = try CommandRunner()
            defer { try? attestwatch.remove() }
            let file = try configuration(attestwatch, database: test.conninfo)
            let first = try await attestwatch("migrate", "--config", file)
            #expect(first.errors == "")
            #expect(first.code == .success)
            #expect(first.output == TestDatabase.files.map { "applied \($0.name)\n" }.joined())
            let second = try await attestwatch("migrate", "--config", file)
            #expect(second.code == .success)
            #expect(second.output == "nothing to do, \(TestDatabase.files.count) migrations are applied\n")
        }
    }

    @Test("a database that is away is 75")
    func away() async throws {
        let attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        let file = try configuration(attestwatch, database: "host=\(attestwatch.folder.path) dbname=x")
        let result = try await attestwatch("migrate", "--config", file)
        #expect(result.code == .database)
        #expect(result.errors.contains("attestwatch: error: "))
        #expect(result.errors.contains("hint: the same command can be run again\n"))
    }

    @Test(
        "a password or passphrase, a far server without verified TLS, and a text that is no connection string are 78",
        arguments: [
            (
                "host=/run password=secret", "expected no password in the configuration, found one",
                "put it into a passfile that its owner alone can read, and name it: passfile=/path"
            ),
            (
                "postgresql://u:secret@localhost/x", "expected no password in the configuration, found one",
                "put it into a passfile that its owner alone can read, and name it: passfile=/path"
            ),
            (
                "host=/run sslpassword=secret", "expected no sslpassword in the configuration, found one",
                "name a client key without a passphrase that its owner alone can read: sslkey=/path"
            ),
            (
                "postgresql://u@localhost/x?sslpassword=secret",
                "expected no sslpassword in the configuration, found one",
                "name a client key without a passphrase that its owner alone can read: sslkey=/path"
            ),
            (
                "host=db.example.com sslmode=require",
                "expected sslmode=verify-full for a server that is not on this machine, "
                    + "found sslmode=require for db.example.com",
                "add sslmode=verify-full and, for a private authority, sslrootcert=/path"
            ),
            (
                "host=db.example.com hostaddr=192.0.2.1",
                "expected sslmode=verify-full for a server that is not on this machine, "
                    + "found sslmode=prefer for 192.0.2.1",
                "add sslmode=verify-full and, for a private authority, sslrootcert=/path"
            ),
        ])
    func refusals(database: String, message: String, hint: String) async throws {
        let attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        let file = try configuration(attestwatch, database: database)
        for command in [["migrate"], ["config", "check"]] {
            let result = try await attestwatch.run(command + ["--config", file])
            #expect(result.code == .configuration)
            #expect(result.errors == "attestwatch: error: \(file):1:12: database: \(message)\nhint: \(hint)\n")
            #expect(!result.errors.contains("secret") && result.output == "")
        }
    }
}
