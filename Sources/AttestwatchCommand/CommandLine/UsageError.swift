/// What is wrong with a command line.
enum UsageError: Error, Hashable, Sendable {
    /// Nothing at all.
    case noSubcommand
    /// A first word that is no subcommand.
    case unknownSubcommand(String, nearest: String?)
    /// An option that the subcommand does not have.
    case unknownOption(String, of: String, nearest: String?)
    /// An option twice.
    case repeatedOption(String)
    /// The last word is an option that wants a value.
    case missingValue(String, String)
    /// `--switch=value`.
    case unwantedValue(String)
    /// A value that is not of its form.
    case badValue(String, expected: String, found: String)
    /// Fewer operands than it takes.
    case missingOperand(String, of: String)
    /// More operands than it takes.
    case unwantedOperand(String, of: String)
    /// Two options that do not go together.
    case conflict(String, String)

    /// What was expected and found.
    var message: String {
        switch self {
        case .noSubcommand: "expected a subcommand, found none"
        case .unknownSubcommand(let name, _): "expected a subcommand, found '\(excerpt(name))'"
        case .unknownOption(let name, let command, _): "unknown option '\(excerpt(name))' for \(command)"
        case .repeatedOption(let name): "expected \(excerpt(name)) once, found it again"
        case .missingValue(let name, let value): "expected \(value) after \(name), found nothing"
        case .unwantedValue(let name): "expected \(name) without a value, found one"
        case .badValue(let name, let expected, let found): "\(name): expected \(expected), found '\(excerpt(found))'"
        case .missingOperand(let operands, let command): "expected \(operands) after \(command), found nothing"
        case .unwantedOperand(let operand, let command):
            "expected nothing more for \(command), found '\(excerpt(operand))'"
        case .conflict(let first, let second): "expected one of \(first) and \(second), found both"
        }
    }

    /// What to do about it.
    var hint: String {
        switch self {
        case .noSubcommand, .unknownSubcommand(_, nil):
            "'attestwatch help' lists the subcommands"
        case .unknownSubcommand(_, let nearest?), .unknownOption(_, _, let nearest?):
            "did you mean '\(nearest)'?"
        case .unknownOption(_, let command, nil), .missingOperand(_, let command), .unwantedOperand(_, let command):
            "'attestwatch \(command) --help' tells what it takes"
        case .repeatedOption, .missingValue, .unwantedValue, .badValue, .conflict:
            "'attestwatch help' tells more"
        }
    }
}
