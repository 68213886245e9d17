/// What is wrong with a command line.
enum UsageError: Error, Hashable, Sendable {
    case noSubcommand
    case unknownSubcommand(String, nearest: String?)
    case unknownOption(String, of: String, nearest: String?)
    case repeatedOption(String)
    case missingValue(String, String)
    case unwantedValue(String)
    case badValue(String, expected: String, found: String)
    case missingOperand(String, of: String)
    case unwantedOperand(String, of: String)
    /// Two options that do not go together.
    case conflict(String, String)

    var message: String {
        switch self {
        case .noSubcommand: "expected a subcommand, found none"
        case .unknownSubcommand(let name, _): "expected a subcommand, found '\(name)'"
        case .unknownOption(let name, let command, _): "unknown option '\(name)' for \(command)"
        case .repeatedOption(let name): "expected \(name) once, found it again"
        case .missingValue(let name, let value): "expected \(value) after \(name), found nothing"
        case .unwantedValue(let name): "expected \(name) without a value, found one"
        case .badValue(let name, let expected, let found): "\(name): expected \(expected), found '\(found)'"
        case .missingOperand(let operands, let command): "expected \(operands) after \(command), found nothing"
        case .unwantedOperand(let operand, let command): "expected nothing more for \(command), found '\(operand)'"
        case .conflict(let first, let second): "expected one of \(first) and \(second), found both"
        }
    }

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
