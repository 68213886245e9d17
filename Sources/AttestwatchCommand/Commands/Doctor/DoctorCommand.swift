import AppAttest
import System

/// `attestwatch doctor`.
enum DoctorCommand {
    /// The command line it takes.
    static let syntax = CommandSyntax(
        name: "doctor", operands: "", operandCount: 0...0,
        summary: "Look whether everything that a refresh needs is in order.",
        details: """
            A line for each check: ok, warning, failed, or skipped for want of something that failed; with a hint where
            there is something to do. Checked are the limit of open files, the configuration and what is odd in it, the
            state folder, the key files, the trust anchors, the database, the data servers in use, and this machine's
            clock against both. Nothing is changed; a data server is asked with HEAD, and neither a receipt nor a JWT
            is sent. Each check takes some 10 s at most. Exit code 0: nothing failed; else that of the first check that
            failed, which is what a refresh would end with.
            """,
        options: [.config, .json])

    /// Does the work; the exit code is that of the first check that failed.
    static func run(_ arguments: ParsedArguments, _ context: CommandContext) async throws(CommandFailure) -> ExitCode {
        let checks = await checks(arguments, context)
        try context.print(checks.map { arguments.has(.json) ? $0.json : $0.text }.joined())
        return checks.exitCode
    }

    private static func checks(_ arguments: ParsedArguments, _ context: CommandContext) async -> [Check] {
        let configuration: Configuration
        do throws(CommandFailure) {
            configuration = try context.configurationAlone(arguments)
        } catch {
            let folder = context.environment["STATE_DIRECTORY"].flatMap {
                $0.split(separator: ":").first.map(String.init)
            }
            let rest = ["signing keys", "trust anchors", "database", "data servers"]
            return [MachineChecks.descriptors(descriptorLimit()), Check("configuration", error)]
                + (folder.map { MachineChecks.stateFolder($0) } ?? [])
                + rest.map { Check($0, .skipped, "named in the configuration, which failed") }
        }
        let now = context.clock.now()
        async let database = DatabaseChecks(configuration).all()
        async let servers = DataServerChecks(configuration, environment: context.environment).all()
        return [MachineChecks.descriptors(descriptorLimit())]
            + ConfigurationChecks.settings(configuration)
            + MachineChecks.stateFolder(configuration.stateDirectory(environment: context.environment))
            + ConfigurationChecks.signingKeys(configuration, environment: context.environment, now: now)
            + ConfigurationChecks.trustAnchors(configuration, now: now)
            + [ConfigurationChecks.databasePassword(context.environment)] + (await database) + (await servers)
    }
}
