/// What is wrong with the configuration, and where.
package enum ConfigurationError: Error, Hashable, Sendable {
    /// The file itself cannot be read.
    case unreadable(file: String, reason: String)
    /// The file is not JSON5.
    case syntax(file: String, JSON5Error)
    /// A key that means nothing there; `nearest` is the known key it resembles.
    case unknownKey(SettingPlace, nearest: String?, known: [String])
    /// A key that must be there is not; the place is that of the object that lacks it.
    case missingKey(SettingPlace, key: String, expected: String)
    /// A value of the wrong kind, out of bounds, or not of the form that is expected.
    case badValue(SettingPlace, expected: String, found: String)
    /// Two values that do not go together; the text names both.
    case contradiction(SettingPlace, String, hint: String)
    /// A file that a setting names cannot be used.
    case fileRefused(SettingPlace, file: String, reason: String, hint: String)

    /// What was expected and what was found, without `attestwatch: error:` before it.
    package var message: String {
        switch self {
        case .unreadable(let file, let reason):
            "cannot read the configuration \(file): \(reason)"
        case .syntax(let file, let error):
            "\(file):\(error.place.line):\(error.place.column): expected \(error.expected), found \(error.found)"
        case .unknownKey(let place, _, _):
            "\(place): unknown key"
        case .missingKey(let place, let key, let expected):
            "\(place.appending(key)): missing, expected \(expected)"
        case .badValue(let place, let expected, let found):
            "\(place): expected \(expected), found \(found)"
        case .contradiction(let place, let text, _):
            "\(place): \(text)"
        case .fileRefused(let place, let file, let reason, _):
            "\(place): \(file): \(reason)"
        }
    }

    /// What to do about it; nil where the message says it all.
    package var hint: String? {
        switch self {
        case .unreadable:
            "name the file with --config or ATTESTWATCH_CONFIG; 'attestwatch config example' prints one to start from"
        case .syntax, .missingKey, .badValue:
            nil
        case .unknownKey(_, let nearest?, _):
            "did you mean '\(nearest)'?"
        case .unknownKey(_, nil, let known):
            "the keys known there are \(known.joined(separator: ", "))"
        case .contradiction(_, _, let hint), .fileRefused(_, _, _, let hint):
            hint
        }
    }
}

/// A setting by its path, and where it stands in its file: `attestwatch.json5:12:5: apps[0].signing_keys[1].file`.
package struct SettingPlace: Hashable, Sendable, CustomStringConvertible {
    /// The file's path.
    package let file: String
    /// Line and column.
    package let text: TextPlace
    /// The setting's path; empty for the outermost object.
    package let path: String

    /// The path of a member of this object.
    package func appending(_ key: String) -> SettingPlace {
        SettingPlace(file: file, text: text, path: path.isEmpty ? key : "\(path).\(key)")
    }

    package var description: String {
        "\(file):\(text.line):\(text.column): \(path.isEmpty ? "the configuration" : path)"
    }
}
