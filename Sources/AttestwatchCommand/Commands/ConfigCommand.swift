import Reporting

/// `attestwatch config check|example`.
enum ConfigCommand {
    /// The command line it takes.
    static let syntax = CommandSyntax(
        name: "config", operands: "check|example", operandCount: 1...1,
        summary: "Check the configuration, or print a documented example.",
        details: """
            check reads the configuration and the key files it names, holds related settings against each other, and
            prints every setting in force, defaults included. It connects to nothing.
            example prints a configuration with every setting explained.
            """,
        options: [.config])

    /// Does the work; errors end the program with their exit code.
    static func run(_ arguments: ParsedArguments, _ context: CommandContext) async throws(CommandFailure) -> ExitCode {
        switch arguments.operands[0] {
        case "example": try context.print(exampleConfiguration)
        case "check": try check(arguments, context)
        case let other:
            throw .usage(.badValue("config", expected: "check or example", found: other))
        }
        return .success
    }

    private static func check(_ arguments: ParsedArguments, _ context: CommandContext) throws(CommandFailure) {
        let configuration = try context.configuration(arguments)
        do throws(ConfigurationError) {
            _ = try configuration.connectionString()
        } catch {
            throw .configuration(error)
        }
        try configuration.checkFiles(environment: context.environment)
        let settings = EffectiveSettings(configuration, environment: context.environment)
        var text = "\(configuration.file): ok\n\n"
        for line in settings.lines { text += "\(printable(line))\n" }
        text += replacementLines(configuration.replacements.map(printable))
        try context.print(text)
        for concern in configuration.concerns { concern.print(context) }
        let folder = configuration.stateDirectory(environment: context.environment)
        if let concern = StateDirectory.concern(folder) { context.warn(concern) }
    }
}
