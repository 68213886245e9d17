import AttestwatchCommand
import Foundation
import System
import Testing

@Suite("The command line")
struct UsageTests {
    struct Call: CustomTestStringConvertible, Sendable {
        let arguments: [String]
        let errors: String
        var testDescription: String { arguments.joined(separator: " ") }

        init(_ arguments: String, _ message: String, _ hint: String) {
            self.arguments = arguments.split(separator: " ").map(String.init)
            self.errors = "attestwatch: error: \(message)\nhint: \(hint)\n"
        }
    }

    @Test(
        "a wrong command line ends with 64, naming what was expected and what was found",
        arguments: [
            Call("", "expected a subcommand, found none", "'attestwatch help' lists the subcommands"),
            Call("conifg", "expected a subcommand, found 'conifg'", "did you mean 'config'?"),
            Call("--json", "expected a subcommand, found '--json'", "'attestwatch help' lists the subcommands"),
            Call("help nothing", "expected a subcommand, found 'nothing'", "'attestwatch help' lists the subcommands"),
            Call(
                "config", "expected check|example after config, found nothing",
                "'attestwatch config --help' tells what it takes"),
            Call(
                "config check more", "expected nothing more for config, found 'more'",
                "'attestwatch config --help' tells what it takes"),
            Call(
                "config test", "config: expected check or example, found 'test'", "'attestwatch help' tells more"),
            Call("config check --confg x", "unknown option '--confg' for config", "did you mean '--config'?"),
            Call(
                "config check -x", "unknown option '-x' for config", "'attestwatch config --help' tells what it takes"),
            Call(
                "config check --config", "expected FILE after --config, found nothing",
                "'attestwatch help' tells more"),
            Call(
                "config --config=a check --config b", "expected --config once, found it again",
                "'attestwatch help' tells more"),
            Call(
                "quarantine", "expected list|release|drop|recheck [KEY_ID...] after quarantine, found nothing",
                "'attestwatch quarantine --help' tells what it takes"),
            Call(
                "quarantine free", "quarantine: expected list, release, drop or recheck, found 'free'",
                "'attestwatch help' tells more"),
            Call(
                "quarantine release",
                "expected KEY_ID, --reason, --after, --before, --app or --all after quarantine release, found nothing",
                "'attestwatch quarantine release --help' tells what it takes"),
            Call(
                "quarantine drop --all --app A1B2C3D4E5.com.example", "expected one of --app and --all, found both",
                "'attestwatch help' tells more"),
            Call(
                "quarantine drop --dropped --all", "expected one of drop and --dropped, found both",
                "'attestwatch help' tells more"),
            Call(
                "quarantine recheck --dry-run --all", "expected one of recheck and --dry-run, found both",
                "'attestwatch help' tells more"),
            Call(
                "quarantine list d-4711",
                "KEY_ID: expected a key identifier, 32 bytes in base64, base64url or hexadecimal, found 'd-4711'",
                "'attestwatch help' tells more"),
            Call(
                "quarantine list --before yesterday",
                "--before: expected an RFC 3339 time such as 2026-10-09T07:25:21Z, or a date, found 'yesterday'",
                "'attestwatch help' tells more"),
            Call(
                "config check -- --config", "expected nothing more for config, found '--config'",
                "'attestwatch config --help' tells what it takes"),
        ])
    func usage(_ call: Call) async throws {
        let attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        let result = try await attestwatch.run(call.arguments)
        #expect(result.code == .usage)
        #expect(result.errors == call.errors)
        #expect(result.output == "")
    }

    @Test(
        "a wrong command line is told before anything is read, and an input before the configuration",
        arguments: [
            ("refresh --limit x", ExitCode.usage), ("refresh --max-duration x", .usage), ("refresh --app x", .usage),
            ("flags --level x", .usage), ("flags more", .usage), ("config more", .usage),
            ("inspect /nowhere --at x --trust-anchor /nowhere", .usage), ("ingest /nowhere", .inputUnreadable),
            ("quarantine drop", .usage), ("quarantine drop --all", .configuration), ("ingest -", .configuration),
            ("refresh --limit 1", .configuration), ("status", .configuration),
        ])
    func order(line: String, code: ExitCode) async throws {
        var attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        attestwatch.environment["ATTESTWATCH_CONFIG"] = "/nowhere/a.json5"
        #expect(try await attestwatch.run(line.split(separator: " ").map(String.init)).code == code)
    }

    @Test("what is repeated of a command line is short and safe to print")
    func longWords() async throws {
        let attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        let long = String(repeating: "x", count: 60) + "yyy"
        for words in [[long], ["config", long], ["status", "--\(long)"], ["status", long]] {
            let result = try await attestwatch.run(words)
            #expect(result.code == .usage)
            #expect(result.errors.contains("xx…'") && !result.errors.contains("y"))
        }
        let escape = try await attestwatch("status\u{1b}[31m")
        #expect(escape.errors.contains("found 'status?[31m'"))
    }

    @Test("help, --help and --version answer on standard output")
    func help() async throws {
        let attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        let help = try await attestwatch("help")
        #expect(help.code == .success)
        #expect(help.output.hasPrefix("usage: attestwatch SUBCOMMAND"))
        for code in ExitCode.allCases { #expect(help.output.contains(" \(code.rawValue)  ")) }
        #expect(try await attestwatch("--help").output == help.output)
        let config = try await attestwatch("help", "config")
        #expect(config.output.hasPrefix("usage: attestwatch config check|example [options]"))
        #expect(try await attestwatch("config", "--nonsense", "--help").output == config.output)
        #expect(try await attestwatch("--version").output == "attestwatch \(attestwatchVersion)\n")
    }

    @Test("config check prints what is in force and what is replaced, and reads the key files")
    func configCheck() async throws {
        var attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        let file = try attestwatch.file(
            "a.json5",
            """
            {apps: [{app_id: "A1B2C3D4E5.com.example", signing_keys: [{id: "ABC123DEFG", file: "k.p8"}]}],
             data_servers: {production: {url: "https://localhost:1/v1"}}}
            """)
        let missing = try await attestwatch("config", "check", "--config", file)
        #expect(missing.code == .configuration)
        #expect(missing.errors.contains("apps[0].signing_keys[0].file: \(attestwatch.folder.path)/k.p8: no such file"))

        try attestwatch.file("k.p8", TestKeys.p256, mode: 0o640)
        let open = try await attestwatch("config", "check", "--config", file)
        #expect(open.code == .configuration)
        #expect(open.errors.contains("expected a file that its owner alone can read, found mode 0640"))
        #expect(open.errors.contains("hint: chmod 600 \(attestwatch.folder.path)/k.p8"))

        attestwatch.environment["CREDENTIALS_DIRECTORY"] = attestwatch.folder.path
        #expect(try await attestwatch("config", "check", "--config", file).code == .success)
        attestwatch.environment["CREDENTIALS_DIRECTORY"] = nil

        try attestwatch.file("k.p8", TestKeys.p256)
        attestwatch.environment["ATTESTWATCH_CONFIG"] = file
        let checked = try await attestwatch("config", "check")
        #expect(checked.code == .success)
        #expect(checked.errors.hasPrefix("attestwatch: warning: no state_directory is set: "))
        #expect(!checked.errors.contains("error"))
        #expect(checked.output.contains("apps[0].cadence.first_reading = \"1h\"\n"))
        #expect(checked.output.contains("data_servers.production.url = \"https://localhost:1/v1\"\n"))
        #expect(checked.output.hasSuffix("not Apple's: production https://localhost:1/v1\n"))
    }

    @Test("two apps may name one key in two files, but not two keys by one identifier in one team")
    func oneKeyAnIdentifier() async throws {
        let attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        for (name, key) in [("one.p8", TestKeys.p256), ("copy.p8", "\n" + TestKeys.p256), ("two.p8", TestKeys.other)] {
            try attestwatch.file(name, key)
        }
        func check(_ second: String, team: String) async throws -> CommandRunner.Result {
            let file = try attestwatch.file(
                "a.json5",
                """
                {apps: [{app_id: "A1B2C3D4E5.com.one", signing_keys: [{id: "ABC123DEFG", file: "one.p8"}]},
                        {app_id: "A1B2C3D4E5.com.two", team_id: "\(team)",
                         signing_keys: [{id: "ABC123DEFG", file: "\(second)"}]}]}
                """)
            return try await attestwatch("config", "check", "--config", file)
        }
        #expect(try await check("one.p8", team: "A1B2C3D4E5").code == .success)
        #expect(try await check("copy.p8", team: "A1B2C3D4E5").code == .success)
        #expect(try await check("two.p8", team: "ZZZZZZZZZZ").code == .success)
        let refused = try await check("two.p8", team: "A1B2C3D4E5")
        #expect(refused.code == .configuration)
        let folder = attestwatch.folder.path
        #expect(
            refused.errors.contains(
                "apps[1].signing_keys[0].file: expected one key under the identifier ABC123DEFG of team A1B2C3D4E5, "
                    + "found different ones in \(folder)/one.p8 and \(folder)/two.p8\nhint: "))
    }

    @Test("config example prints the example")
    func configExample() async throws {
        let attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        #expect(try await attestwatch("config", "example").output == exampleConfiguration)
    }

    @Test("a result that cannot be written is an error, and exit code 1")
    func fullDisk() async throws {
        let attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        let errorsFile = try attestwatch.file("errors", "")
        let full = try OpenFile.appending("/dev/full")
        let errors = try OpenFile.appending(errorsFile)
        let context = CommandContext(
            environment: [:], clock: attestwatch.clock, output: full.descriptor, errors: errors.descriptor)
        #expect(await AttestwatchCommand.run(["help"], context) == .attention)
        #expect(
            try String(contentsOfFile: errorsFile, encoding: .utf8)
                == "attestwatch: error: cannot write to /dev/full: no space left on device\n")
    }
}
