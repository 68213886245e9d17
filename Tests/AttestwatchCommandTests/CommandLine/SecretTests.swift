import AttestwatchCommand
import Foundation
import TestSupport
import Testing

@Suite("Where secrets come from", .ownThreads)
struct SecretTests {
    /// The names of the subcommands, as the list of them has them.
    static func subcommands() async throws -> [String] {
        let attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        let help = try await attestwatch("help").output
        let list = try #require(help.components(separatedBy: "Subcommands:\n").last).components(separatedBy: "\n\n")[0]
        return list.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
    }

    @Test("no subcommand takes one on the command line, where every user of the machine can read it")
    func options() async throws {
        let attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        let words = [
            "pass", "secret", "token", "jwt", "private", "signing", "credential", "conninfo", "database", "dsn",
        ]
        var count = 0
        for subcommand in try await Self.subcommands() {
            let help = try await attestwatch("help", subcommand).output
            let options = help.matches(of: /(?m)^  (--[a-z-]+)(?: ([^ ]+))?/)
            #expect(!options.isEmpty, "\(subcommand)")
            for option in options {
                count += 1
                let text = "\(option.1) \(option.2 ?? "")".lowercased()
                #expect(!words.contains { text.contains($0) }, "\(subcommand) \(text)")
            }
        }
        #expect(count > 30)
    }

    private static func settings(_ database: String) -> String {
        """
        {database: "\(database)", state_directory: "state",
         apps: [{app_id: "A1B2C3D4E5.com.example", signing_keys: [{id: "ABC123DEFG", file: "k.p8"}]}]}
        """
    }

    @Test("PGPASSWORD is warned of once, and never shown; an empty one is none")
    func warning() async throws {
        var attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        try attestwatch.file("k.p8", TestKeys.p256)
        attestwatch.environment["ATTESTWATCH_CONFIG"] = try attestwatch.file(
            "a.json5", Self.settings("host=/nowhere"))
        let warning = "attestwatch: warning: expected the database's password in a passfile, found it in PGPASSWORD, "
        for (password, count) in [("a-secret-word", 1), ("", 0), (nil, 0)] {
            attestwatch.environment["PGPASSWORD"] = password
            for words in [["config", "check"], ["status"]] {
                let result = try await attestwatch.run(words)
                #expect(result.errors.components(separatedBy: warning).count - 1 == count, "\(result.errors)")
                #expect(!(result.output + result.errors).contains("a-secret-word"))
            }
            let diagnosis = try await attestwatch("doctor")
            #expect(diagnosis.output.contains("warning  database password: expected the database's ") == (count == 1))
            #expect(diagnosis.output.contains("\nok       database password: ") == (count == 0))
            #expect(diagnosis.errors == "" && !diagnosis.output.contains("a-secret-word"))
        }
    }

    @Test("the database lets in who has the password in PGPASSWORD or in a passfile, and nobody else")
    func password() async throws {
        let cluster = try TestCluster()
        let test = try await cluster.migrated()
        try await test.execute("CREATE ROLE guarded LOGIN SUPERUSER PASSWORD 'a-secret-word'")
        try await test.execute(
            """
            DO $$ BEGIN EXECUTE format('COPY (VALUES (''local all guarded scram-sha-256''), (''local all all trust'')) '
                'TO %L', current_setting('hba_file')); END $$
            """)
        try await test.execute("SELECT pg_reload_conf()")
        let attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        let conninfo = cluster.conninfo.replacing("user=postgres", with: "user=guarded")
        let file = try attestwatch.file("a.json5", Self.settings(conninfo))
        let passfile = try attestwatch.file("pgpass", "*:*:*:guarded:a-secret-word\n")
        func status(_ more: [String: String]) throws -> ToolResult {
            let environment = ["ATTESTWATCH_CONFIG": file, "HOME": "/nowhere"].merging(more) { _, new in new }
            return try runTool(productPath("attestwatch"), ["status"], environment: environment)
        }
        // The server takes the new rules in its own time.
        while try status([:]).status == 0 { await Task.yield() }
        let refused = try status([:])
        #expect(refused.status == 75 && refused.errors.contains("no password supplied"), "\(refused.errors)")
        let inEnvironment = try status(["PGPASSWORD": "a-secret-word"])
        #expect(inEnvironment.status == 0 && inEnvironment.errors.contains("found it in PGPASSWORD"))
        let inFile = try status(["PGPASSFILE": passfile])
        #expect(inFile.status == 0 && inFile.errors == "", "\(inFile.errors)")
        for ending in [refused, inEnvironment, inFile] {
            #expect(!(ending.text + ending.errors).contains("a-secret-word"))
        }
    }
}
