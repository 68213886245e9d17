/// Something to be said about a run on standard error.
package struct RunNotice: Hashable, Sendable {
    /// How much it matters.
    package enum Weight: Hashable, Sendable {
        /// The run did its work.
        case warning
        /// A person has to do something; the exit code says so too.
        case error
    }

    /// How much it matters.
    package let weight: Weight
    /// What was expected and what was found, in one line.
    package let message: String
    /// What to do.
    package let hint: String

    /// Prints it on standard error.
    func print(_ context: CommandContext) {
        switch weight {
        case .warning: context.warn(message, hint: hint)
        case .error: context.report(message, hint: hint)
        }
    }
}
