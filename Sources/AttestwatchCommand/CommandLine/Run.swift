import AppAttest
import FoundationEssentials
import System

/// The version that `--version` prints and requests carry in their `User-Agent`.
package let attestwatchVersion = "0.1.0"

/// Runs the program with the process's own arguments, environment and streams, and ends it.
package func runProcess(clock: any WallClock) async -> Never {
    ignoreBrokenPipeSignal()
    returnLargeBlocks()
    ignoreFileSizeSignal()
    let context = CommandContext(
        environment: ProcessInfo.processInfo.environment, clock: clock,
        takeStopRequests: {
            takeStopSignals()
            return isStopRequested
        })
    let code = await run(Array(CommandLine.arguments.dropFirst()), context)
    endProcess(code.rawValue)
}

/// Runs one command line, the program's name not among its arguments. Every failure is reported before it returns.
package func run(_ arguments: [String], _ context: CommandContext) async -> ExitCode {
    do throws(CommandFailure) {
        return try await dispatch(arguments, context)
    } catch {
        // A reader that has gone, such as `head`, knows why.
        if case .outputFailed(let cause) = error, cause.isBrokenPipe { return error.exitCode }
        context.report(error.message, hint: error.hint)
        return error.exitCode
    }
}

private func dispatch(_ arguments: [String], _ context: CommandContext) async throws(CommandFailure) -> ExitCode {
    guard let name = arguments.first else { throw .usage(.noSubcommand) }
    switch name {
    case "--version":
        try context.print("attestwatch \(attestwatchVersion)\n")
        return .success
    case "help", "--help", "-h":
        return try help(arguments.dropFirst(), context)
    default:
        let command = try Subcommand.named(name)
        let parsed: ParsedArguments
        do throws(UsageError) {
            parsed = try ParsedArguments(arguments.dropFirst(), syntax: command.syntax)
        } catch {
            throw .usage(error)
        }
        if parsed.has(.help) {
            try context.print(command.syntax.help)
            return .success
        }
        return try await command.run(parsed, context)
    }
}

private func help(_ arguments: some Sequence<String>, _ context: CommandContext) throws(CommandFailure) -> ExitCode {
    if let name = arguments.first(where: { _ in true }) {
        try context.print(try Subcommand.named(name).syntax.help)
        return .success
    }
    let width = Subcommand.all.map(\.syntax.name.count).max() ?? 0
    let lines = Subcommand.all.map { command in
        let name = command.syntax.name
        return "  \(name)\(String(repeating: " ", count: width - name.count))  \(command.syntax.summary)\n"
    }
    try context.print(
        """
        usage: attestwatch SUBCOMMAND [options]

        attestwatch keeps App Attest receipts fresh and flags devices whose key count is high.

        Subcommands:
        \(lines.joined())
        'attestwatch SUBCOMMAND --help' tells more about one; 'attestwatch --version' prints the version.

        Exit codes:
           0  done
           1  done, and something needs a person
          64  the command line is wrong
          66  an input file cannot be read
          69  the data server is not available
          70  a fault of attestwatch
          73  the state folder cannot be used
          75  the database is not available or refuses; try again
          77  the data server refused the credential or every request, or its answers do not verify
          78  the configuration is wrong, or the limit of open files too low

        """)
    return .success
}
