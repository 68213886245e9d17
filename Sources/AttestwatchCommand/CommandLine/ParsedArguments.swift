/// The arguments of a subcommand, sorted by its syntax.
struct ParsedArguments: Sendable {
    /// What is neither an option nor an option's value, in order.
    let operands: [String]
    private let values: [String: String]
    private let switches: Set<String>

    /// Sorts arguments: options may stand anywhere, `--` ends them, a value follows as `--name value` or
    /// `--name=value`.
    ///
    /// `-` is an operand. With `--help` among the arguments nothing else is checked.
    init(_ arguments: some Sequence<String>, syntax: CommandSyntax) throws(UsageError) {
        var operands: [String] = []
        var values: [String: String] = [:]
        var switches: Set<String> = []
        var rest = Array(arguments)[...]
        if rest.prefix(while: { $0 != "--" }).contains(OptionSyntax.help.name) {
            self.init(operands: [], values: [:], switches: [OptionSyntax.help.name])
            return
        }
        while let argument = rest.popFirst() {
            if argument == "--" {
                operands += rest
                break
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                operands.append(argument)
                continue
            }
            let (name, attached) = Self.split(argument)
            guard let option = syntax.options.first(where: { $0.name == name }) else {
                let names = syntax.options.map(\.name) + [OptionSyntax.help.name]
                throw .unknownOption(name, of: syntax.name, nearest: nearestWord(to: name, among: names))
            }
            if values[name] != nil || switches.contains(name) { throw .repeatedOption(name) }
            switch (option.value, attached) {
            case (nil, nil): switches.insert(name)
            case (nil, _?): throw .unwantedValue(name)
            case (_?, let value?): values[name] = value
            case (let what?, nil):
                guard let value = rest.popFirst() else { throw .missingValue(name, what) }
                values[name] = value
            }
        }
        guard operands.count >= syntax.operandCount.lowerBound else {
            throw .missingOperand(syntax.operands, of: syntax.name)
        }
        guard operands.count <= syntax.operandCount.upperBound else {
            throw .unwantedOperand(operands[syntax.operandCount.upperBound], of: syntax.name)
        }
        self.init(operands: operands, values: values, switches: switches)
    }

    private init(operands: [String], values: [String: String], switches: Set<String>) {
        self.operands = operands
        self.values = values
        self.switches = switches
    }

    private static func split(_ argument: String) -> (name: String, value: String?) {
        guard let sign = argument.firstIndex(of: "=") else { return (argument, nil) }
        return (String(argument[..<sign]), String(argument[argument.index(after: sign)...]))
    }

    /// Whether a switch was given.
    func has(_ option: OptionSyntax) -> Bool { switches.contains(option.name) }

    /// The value of an option, as written.
    func value(_ option: OptionSyntax) -> String? { values[option.name] }

    /// The value of an option as what it must be.
    ///
    /// - Throws: with `expected` when `make` can make nothing of the text.
    func value<Value>(
        _ option: OptionSyntax, as expected: String, _ make: (String) -> Value?
    ) throws(UsageError) -> Value? {
        guard let text = values[option.name] else { return nil }
        guard let value = make(text) else { throw .badValue(option.name, expected: expected, found: text) }
        return value
    }
}
