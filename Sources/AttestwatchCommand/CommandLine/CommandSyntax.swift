/// What may follow a subcommand's name. The help texts and the parser both work from it.
struct CommandSyntax: Sendable {
    /// The subcommand's name.
    let name: String
    /// What stands for its operands in the usage line; empty when it takes none.
    let operands: String
    /// How many operands there may be.
    let operandCount: ClosedRange<Int>
    /// One sentence for the list of subcommands.
    let summary: String
    /// What else there is to know, a paragraph or two.
    let details: String
    /// Its options; `--help` is understood everywhere.
    let options: [OptionSyntax]
}

/// An option: `--name`, or `--name VALUE`.
struct OptionSyntax: Sendable {
    /// With its dashes.
    let name: String
    /// What stands for its value in help; nil for a switch.
    let value: String?
    /// What it does, in a few words.
    let help: String

    /// A switch, unless there is a value to name.
    init(_ name: String, _ value: String? = nil, _ help: String) {
        self.name = name
        self.value = value
        self.help = help
    }

    /// Understood by every subcommand that reads the configuration.
    static let config = OptionSyntax(
        "--config", "FILE", "the configuration (else ATTESTWATCH_CONFIG, else \(Configuration.standardFile))")
    /// JSON in the place of text.
    static let json = OptionSyntax("--json", nil, "print JSON, one object a line")
    /// Understood by every subcommand.
    static let help = OptionSyntax("--help", nil, "print this")
}

extension CommandSyntax {
    /// The usage line.
    var usage: String {
        let options = options.isEmpty ? "" : " [options]"
        return "attestwatch \(name)\(operands.isEmpty ? "" : " \(operands)")\(options)"
    }

    /// The whole help text.
    var help: String {
        let shown = (options + [.help]).map { ("\($0.name)\($0.value.map { " \($0)" } ?? "")", $0.help) }
        let width = shown.map(\.0.count).max() ?? 0
        let lines = shown.map { option, help in
            "  \(option)\(String(repeating: " ", count: width - option.count))  \(help)\n"
        }
        return "usage: \(usage)\n\n\(summary)\n\n\(details)\n\nOptions:\n\(lines.joined())"
    }
}
