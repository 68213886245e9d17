import SimulatedDataServer

/// The command line behind the subcommand: options with values, and switches.
struct Arguments {
    private var values: [String: [String]] = [:]
    private var switches: Set<String> = []

    /// Takes the words apart; `options` have a value (`--name value` or `--name=value`), `flags` have none.
    init(_ words: [String], options: Set<String>, flags: Set<String>) throws(SimulatorError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            let halves = word.split(separator: "=", maxSplits: 1).map(String.init)
            let name = halves.first ?? ""
            if flags.contains(word) {
                switches.insert(word)
            } else if options.contains(name) {
                guard let value = halves.count == 2 ? halves[1] : rest.popFirst() else {
                    throw .usage("\(name) needs a value")
                }
                values[name, default: []].append(value)
            } else {
                let known = (options.union(flags)).sorted().joined(separator: ", ")
                throw .usage("unexpected argument \(word), expected one of \(known)")
            }
        }
    }

    /// Whether a switch is there.
    func has(_ name: String) -> Bool { switches.contains(name) }

    /// All values of an option that may come more than once.
    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// The last value of an option.
    func last(_ name: String) -> String? { values[name]?.last }

    /// The value of an option that must be there.
    func required(_ name: String) throws(SimulatorError) -> String {
        guard let value = last(name) else { throw .usage("\(name) is missing") }
        return value
    }

    /// The value of an option as a number, within bounds.
    func number<Number: LosslessStringConvertible & Comparable>(
        _ name: String, default fallback: Number, within bounds: ClosedRange<Number>
    ) throws(SimulatorError) -> Number {
        guard let text = last(name) else { return fallback }
        guard let number = Number(text), bounds.contains(number) else {
            throw .usage(
                "expected a number from \(bounds.lowerBound) to \(bounds.upperBound) for \(name), found \(text)")
        }
        return number
    }
}
