import AttestwatchCommand
import Foundation
import System
import TestSupport
import Testing

@Suite("Priorities in systemd's journal", .ownThreads)
struct JournalPriorityTests {
    /// What `config check` and a wrong command line write to standard error where `JOURNAL_STREAM` is this.
    private func errors(_ variable: (FileStatus) -> String?) async throws -> String {
        let attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        try attestwatch.file("k.p8", TestKeys.p256)
        let settings = try attestwatch.file(
            "a.json5",
            """
            {apps: [{app_id: "A1B2C3D4E5.com.example", signing_keys: [{id: "ABC123DEFG", file: "k.p8"}]}],
             lease: "2s", state_directory: "/"}
            """)
        let file = try attestwatch.file("stream", "")
        let stream = try OpenFile.appending(file)
        var environment: [String: String] = ["ATTESTWATCH_CONFIG": settings]
        environment["JOURNAL_STREAM"] = variable(try stream.status())
        let context = CommandContext(
            environment: environment, clock: attestwatch.clock, output: stream.descriptor, errors: stream.descriptor)
        #expect(await AttestwatchCommand.run(["config", "check"], context) == .success)
        #expect(await AttestwatchCommand.run(["refesh"], context) == .usage)
        return try String(contentsOfFile: file, encoding: .utf8)
    }

    private static let plain = """
        attestwatch: warning: lease is "2s", and an answer may take "30s" to come
        hint: where the lease is not shorter, no receipt is sent twice because of a slow answer
        attestwatch: error: expected a subcommand, found 'refesh'
        hint: did you mean 'refresh'?

        """
    private static let marked = """
        <4>attestwatch: warning: lease is "2s", and an answer may take "30s" to come
        <4>hint: where the lease is not shorter, no receipt is sent twice because of a slow answer
        <3>attestwatch: error: expected a subcommand, found 'refesh'
        <3>hint: did you mean 'refresh'?

        """

    @Test("where standard error is the journal's stream, each line of a warning is <4> and of an error <3>")
    func journal() async throws {
        let text = try await errors { "\($0.device):\($0.inode)" }
        #expect(text.hasSuffix(Self.marked), "\(text)")
        // Results are what they are.
        #expect(text.contains("\nlease = \"2s\"\n"))
    }

    @Test("elsewhere they are plain, whatever the variable says")
    func elsewhere() async throws {
        let others: [(FileStatus) -> String?] = [
            { _ in nil }, { _ in "" }, { "\($0.device):\($0.inode + 1)" }, { "\($0.inode):\($0.device)" },
            { "\($0.device)" }, { "\($0.device):\($0.inode):" },
        ]
        for variable in others {
            let text = try await errors(variable)
            #expect(text.hasSuffix(Self.plain), "\(text)")
            #expect(!text.contains("<"))
        }
    }

    @Test("a pipe's other end may be the journal too, until standard error is sent elsewhere")
    func pipe() throws {
        let named = #"export JOURNAL_STREAM="$(stat -L -c %d:%i /dev/fd/2)"; "#
        func run(_ command: String) throws -> String {
            try runTool("sh", ["-c", named + command, productPath("attestwatch")]).errors
        }
        let error = "attestwatch: error: expected a subcommand, found 'x'"
        #expect(try run(#""$0" x"#).hasPrefix("<3>\(error)\n<3>hint: "))
        #expect(try run(#""$0" x 2>&1 | cat >&2"#).hasPrefix("\(error)\nhint: "))
    }

    @Test("each line of a text that goes to standard error for people to read along is <6>")
    func lines() async throws {
        try await TestDatabase.migrated { database in
            let stage = try Stage(database, devices: 1, hasServer: false)
            let file = try stage.attestwatch.file("stream", "")
            let stream = try OpenFile.appending(file)
            let output = try OpenFile.appending("/dev/null")
            let status = try stream.status()
            let environment = stage.attestwatch.environment.merging([
                "JOURNAL_STREAM": "\(status.device):\(status.inode)"
            ]) { _, new in new }
            let context = CommandContext(
                environment: environment, clock: stage.attestwatch.clock, output: output.descriptor,
                errors: stream.descriptor)
            #expect(await AttestwatchCommand.run(["refresh", "--events", "-"], context) == .success)
            let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
            #expect(lines.count > 10 && lines.allSatisfy { $0.hasPrefix("<6>") }, "\(lines)")
        }
    }
}
