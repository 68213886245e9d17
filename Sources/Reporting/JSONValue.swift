/// A value on its way to JSON text, RFC 8259. Members keep their order, so that lines read the same every time.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// A key and its value.
    package struct Member: Hashable, Sendable {
        let key: String
        let value: JSONValue

        /// Puts the two together.
        package init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// An object with its members in this order.
    package static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { Member(key: $0.key, value: $0.value) })
    }

    /// A string, or null for nil.
    package static func text(_ text: String?) -> JSONValue {
        text.map(JSONValue.string) ?? .null
    }

    /// An integer, or null for nil.
    package static func number(_ number: Int?) -> JSONValue {
        number.map(JSONValue.integer) ?? .null
    }

    /// The value in one line.
    package var text: String {
        var text = ""
        write(into: &text)
        return text
    }

    private func write(into text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .string(let value): Self.write(value, into: &text)
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.write(into: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                Self.write(member.key, into: &text)
                text += ":"
                member.value.write(into: &text)
            }
            text += "}"
        }
    }

    // RFC 8259 § 7: quotation mark, reverse solidus and control characters are escaped; U+2028 and U+2029 too, since
    // some readers of lines take them for line ends.
    private static func write(_ string: String, into text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..."\u{1f}", "\u{7f}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
