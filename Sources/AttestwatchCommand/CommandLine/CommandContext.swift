import AppAttest
import Reporting
import System

/// What a subcommand gets from outside: it looks at nothing else of the process.
package struct CommandContext: Sendable {
    /// Environment variables.
    package let environment: [String: String]
    /// The present time for everything about Apple's dates.
    package let clock: any WallClock
    /// Where `-` reads from.
    package let input: FileDescriptor
    /// Results.
    package let output: FileDescriptor
    /// Errors, hints, warnings and the progress line.
    package let errors: FileDescriptor
    /// Whether standard error is the journal, where each line begins with its priority.
    private let isJournal: Bool
    /// Begins to take requests to end in good order, and gives what tells whether one has come.
    let takeStopRequests: @Sendable () -> @Sendable () -> Bool

    /// A context with the process's own streams unless others are given.
    package init(
        environment: [String: String], clock: any WallClock, input: FileDescriptor = .standardInput,
        output: FileDescriptor = .standardOutput, errors: FileDescriptor = .standardError,
        takeStopRequests: @escaping @Sendable () -> @Sendable () -> Bool = { { false } }
    ) {
        self.environment = environment
        self.clock = clock
        self.input = input
        self.output = output
        self.errors = errors
        self.isJournal = environment["JOURNAL_STREAM"].map { Journald.isAt(errors, $0) } ?? false
        self.takeStopRequests = takeStopRequests
    }

    /// Writes results.
    func print(_ text: String) throws(CommandFailure) {
        do throws(SystemError) {
            try output.write(Array(text.utf8))
        } catch {
            throw .outputFailed(error)
        }
    }

    /// Writes lines to standard error; when even that fails there is nobody left to tell.
    func note(_ text: String, _ priority: LinePriority = .information) {
        let text = isJournal ? priority.marking(text) : text
        do throws(SystemError) {
            try errors.write(Array("\(text)\n".utf8))
        } catch {
            return
        }
    }

    /// `attestwatch: warning: …` and the hint on standard error.
    func warn(_ message: String, hint: String? = nil) {
        note("attestwatch: warning: \(printable(message))", .warning)
        if let hint { note("hint: \(printable(hint))", .warning) }
    }

    /// `attestwatch: error: …` and the hint on standard error.
    func report(_ message: String, hint: String?) {
        note("attestwatch: error: \(printable(message))", .error)
        if let hint { note("hint: \(printable(hint))", .error) }
    }

    /// Reads and checks the configuration that the options or the environment name; warns of a password in the
    /// environment.
    func configuration(_ arguments: ParsedArguments) throws(CommandFailure) -> Configuration {
        if let concern = Configuration.passwordConcern(environment) { concern.print(self) }
        return try configurationAlone(arguments)
    }

    /// The same for who looks at the environment for himself.
    func configurationAlone(_ arguments: ParsedArguments) throws(CommandFailure) -> Configuration {
        let file =
            arguments.value(.config) ?? environment["ATTESTWATCH_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
            ?? Configuration.standardFile
        do throws(ConfigurationError) {
            return try Configuration.load(file)
        } catch {
            throw .configuration(error)
        }
    }
}
