/// Reads one value by descent: one function a production, one look ahead, no backtracking.
struct JSON5Reader {
    /// How deep arrays and objects may stand in one another.
    static let depthLimit = 64

    /// All of it.
    let text: [UInt8]
    /// Which language it is held to.
    let dialect: JSON5Dialect
    /// Offset of the byte to read next.
    var index = 0
    private var depth = 0

    /// Nothing is read yet.
    init(_ text: [UInt8], dialect: JSON5Dialect) {
        self.text = text
        self.dialect = dialect
    }

    /// The one value of the whole text.
    mutating func readDocument() throws(JSON5Error) -> JSON5Node {
        try checkEncoding()
        if text.starts(with: [0xef, 0xbb, 0xbf]), dialect == .json5 { index = 3 }
        try skipSpace()
        let root = try readValue()
        try skipSpace()
        guard index == text.count else { throw unexpected("the end of the text") }
        return root
    }

    /// A value of any kind, white space before it already skipped.
    mutating func readValue() throws(JSON5Error) -> JSON5Node {
        let start = index
        guard let byte = peek else { throw unexpected("a value") }
        let value: JSON5Value
        switch byte {
        case UInt8(ascii: "{"): value = try nested { reader throws(JSON5Error) in try reader.readObject() }
        case UInt8(ascii: "["): value = try nested { reader throws(JSON5Error) in try reader.readArray() }
        case UInt8(ascii: "\""): value = .string(try readString())
        case UInt8(ascii: "'") where dialect == .json5: value = .string(try readString())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): value = try readNumber()
        case UInt8(ascii: "+") where dialect == .json5: value = try readNumber()
        case UInt8(ascii: ".") where dialect == .json5: value = try readNumber()
        default: value = try readWord()
        }
        return JSON5Node(value: value, offset: start)
    }

    private mutating func readWord() throws(JSON5Error) -> JSON5Value {
        switch word(at: index) {
        case "null":
            index += 4
            return .null
        case "true":
            index += 4
            return .bool(true)
        case "false":
            index += 5
            return .bool(false)
        case "Infinity", "NaN":
            guard dialect == .json5 else { throw unexpected("a value") }
            return try readNumber()
        default: throw unexpected("a value")
        }
    }

    private mutating func nested(
        _ read: (inout JSON5Reader) throws(JSON5Error) -> JSON5Value
    ) throws(JSON5Error) -> JSON5Value {
        guard depth < Self.depthLimit else { throw unexpected("at most \(Self.depthLimit) levels of nesting") }
        depth += 1
        let value = try read(&self)
        depth -= 1
        return value
    }

    private mutating func readArray() throws(JSON5Error) -> JSON5Value {
        var nodes: [JSON5Node] = []
        index += 1
        while true {
            try skipSpace()
            if peek == UInt8(ascii: "]"), nodes.isEmpty || dialect == .json5 { break }
            nodes.append(try readValue())
            try skipSpace()
            if peek == UInt8(ascii: "]") { break }
            guard peek == UInt8(ascii: ",") else { throw unexpected("',' or ']'") }
            index += 1
        }
        index += 1
        return .array(nodes)
    }

    private mutating func readObject() throws(JSON5Error) -> JSON5Value {
        var members: [JSON5Member] = []
        var seen: [String: Int] = [:]
        index += 1
        while true {
            try skipSpace()
            if peek == UInt8(ascii: "}"), members.isEmpty || dialect == .json5 { break }
            let member = try readMember()
            if let first = seen.updateValue(member.keyOffset, forKey: member.key) {
                throw repeated(member, first: first)
            }
            members.append(member)
            try skipSpace()
            if peek == UInt8(ascii: "}") { break }
            guard peek == UInt8(ascii: ",") else { throw unexpected("',' or '}'") }
            index += 1
        }
        index += 1
        return .object(members)
    }

    private mutating func readMember() throws(JSON5Error) -> JSON5Member {
        let start = index
        let key: String
        switch peek {
        case UInt8(ascii: "\""): key = try readString()
        case UInt8(ascii: "'") where dialect == .json5: key = try readString()
        default:
            let bare = dialect == .json5 ? word(at: index) : ""
            guard let first = bare.utf8.first, !(0x30...0x39).contains(first) else { throw unexpected("a key") }
            key = bare
            index += bare.utf8.count
        }
        try skipSpace()
        guard peek == UInt8(ascii: ":") else { throw unexpected("':' after the key \"\(key)\"") }
        index += 1
        try skipSpace()
        return JSON5Member(key: key, keyOffset: start, node: try readValue())
    }
}
