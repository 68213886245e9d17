import Reporting

/// One thing that `doctor` looked at, and how it was found.
package struct Check: Hashable, Sendable {
    /// How it was found.
    package enum State: Hashable, Sendable {
        /// As it should be.
        case ok
        /// It works, and somebody should know of it.
        case warning
        /// It was not looked at, for want of something that has failed.
        case skipped
        /// A refresh would not do its work; the exit code it would end with.
        case failed(ExitCode)

        /// The word that a line begins with.
        var word: String {
            switch self {
            case .ok: "ok"
            case .warning: "warning"
            case .skipped: "skipped"
            case .failed: "failed"
            }
        }
    }

    /// What was looked at, in a few words that stay the same: `data server production`.
    package let name: String
    /// How it was found.
    package let state: State
    /// What was found, and where that is not well, what was expected.
    package let message: String
    /// What to do; nil where there is nothing to do.
    package let hint: String?

    /// Puts the parts together.
    package init(_ name: String, _ state: State, _ message: String, hint: String? = nil) {
        self.name = name
        self.state = state
        self.message = message
        self.hint = hint
    }

    /// A check that failed as a subcommand would have.
    init(_ name: String, _ failure: CommandFailure) {
        self.init(name, .failed(failure.exitCode), failure.message, hint: failure.hint)
    }

    /// A line for people, and one for the hint.
    var text: String {
        let word = state.word
        let space = String(repeating: " ", count: 7 - word.count)
        return "\(word)\(space)  \(printable(name)): \(printable(message))\n"
            + (hint.map { "hint: \(printable($0))\n" } ?? "")
    }

    /// The same as an object in a line.
    var json: String {
        let value = JSONValue.object([
            "check": .string(name), "state": .string(state.word), "message": .string(message), "hint": .text(hint),
        ])
        return value.text + "\n"
    }
}

extension [Check] {
    /// The exit code of the first that failed: they stand in the order in which a refresh meets them.
    var exitCode: ExitCode {
        for check in self {
            if case .failed(let code) = check.state { return code }
        }
        return .success
    }
}
