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

    /// Writes a line to standard error; when even that fails there is nobody left to tell.
    func note(_ line: String) {
        do throws(SystemError) {
            try errors.write(Array("\(line)\n".utf8))
        } catch {
            return
        }
    }

    /// `attestwatch: warning: …` on standard error.
    func warn(_ message: String) {
        note("attestwatch: warning: \(printable(message))")
    }

    /// `attestwatch: error: …` and the hint on standard error.
    func report(_ message: String, hint: String?) {
        note("attestwatch: error: \(printable(message))")
        if let hint { note("hint: \(printable(hint))") }
    }

    /// Reads and checks the configuration that the options or the environment name.
    func configuration(_ arguments: ParsedArguments) throws(CommandFailure) -> Configuration {
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
