import Reporting

/// One value of the configuration with its path, asked for what it should be.
struct Setting {
    /// As it was read.
    let node: JSON5Node
    /// From the outermost object: `apps[0].cadence.clear`.
    let path: String
    /// The text it stands in.
    let source: ConfigurationSource

    /// Where it stands.
    var place: SettingPlace { source.place(of: node.offset, path: path) }

    /// An error about this value.
    func wrong(expected: String, found: String? = nil) -> ConfigurationError {
        .badValue(place, expected: expected, found: found ?? shown)
    }

    // Kinds are named rather than values shown for strings that are not short: a value may be something private.
    private var shown: String {
        switch node.value {
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .bool(let value): "\(value)"
        case .string(let text):
            text.utf8.count <= 80 ? "\"\(printable(text))\"" : "a string of \(text.utf8.count) bytes"
        case .null, .array, .object: node.value.kind
        }
    }

    /// A string that is not empty and holds no control characters.
    func string(_ expected: String = "a string") throws(ConfigurationError) -> String {
        guard case .string(let text) = node.value else { throw wrong(expected: expected, found: node.value.kind) }
        guard !text.isEmpty else { throw wrong(expected: expected, found: "an empty string") }
        guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f }) else {
            throw wrong(expected: expected + " without control characters", found: "one with them")
        }
        return text
    }

    /// A string that a type can be made of.
    func string<Value>(
        as expected: String, _ make: (String) -> Value?
    ) throws(ConfigurationError) -> Value {
        guard let value = make(try string(expected)) else { throw wrong(expected: expected) }
        return value
    }

    /// A whole number within bounds.
    func integer(in bounds: ClosedRange<Int>) throws(ConfigurationError) -> Int {
        let expected = "an integer from \(bounds.lowerBound) to \(bounds.upperBound)"
        guard case .integer(let value) = node.value, bounds.contains(value) else { throw wrong(expected: expected) }
        return value
    }

    /// A number from one to a bound.
    func rate(upTo bound: Double) throws(ConfigurationError) -> Double {
        let value: Double
        switch node.value {
        case .integer(let whole): value = Double(whole)
        case .real(let real): value = real
        case .null, .bool, .string, .array, .object: value = .nan
        }
        guard value >= 1, value <= bound else { throw wrong(expected: "a number from 1 to \(Int(bound))") }
        return value
    }

    /// A duration such as "7d" within bounds.
    func duration(in bounds: ClosedRange<Duration>) throws(ConfigurationError) -> Duration {
        let low = DurationText.format(bounds.lowerBound)
        let high = DurationText.format(bounds.upperBound)
        let expected = "a duration from \"\(low)\" to \"\(high)\" (a whole number and s, m, h or d)"
        guard case .string(let text) = node.value, let value = DurationText.parse(text), bounds.contains(value) else {
            throw wrong(expected: expected)
        }
        return value
    }

    /// The path of a file; a relative one counts from the folder of the configuration.
    func filePath() throws(ConfigurationError) -> String {
        let path = try string("the path of a file")
        return path.hasPrefix("/") ? path : source.folder + "/" + path
    }

    /// The elements of an array whose length is within bounds.
    func elements(_ bounds: ClosedRange<Int>, of what: String) throws(ConfigurationError) -> [Setting] {
        guard case .array(let nodes) = node.value else {
            throw wrong(expected: "an array of \(what)", found: node.value.kind)
        }
        guard bounds.contains(nodes.count) else {
            let upper = bounds.upperBound == .max ? "or more" : "to \(bounds.upperBound)"
            throw wrong(expected: "\(bounds.lowerBound) \(upper) \(what)", found: "\(nodes.count)")
        }
        return nodes.enumerated().map { Setting(node: $1, path: "\(path)[\($0)]", source: source) }
    }

    /// The object's members, each of which must be a known key.
    func object(keys: [String]) throws(ConfigurationError) -> SettingsObject {
        try SettingsObject(self, keys: keys)
    }
}

/// The text that settings come from.
struct ConfigurationSource {
    /// Its path.
    let file: String
    /// Its content.
    let document: JSON5Document

    /// The folder of the file, without a slash at its end.
    var folder: String {
        guard let slash = file.lastIndex(of: "/") else { return "." }
        return String(file[..<slash])
    }

    /// The place of a setting in it.
    func place(of offset: Int, path: String) -> SettingPlace {
        SettingPlace(file: file, text: document.place(of: offset), path: path)
    }
}
