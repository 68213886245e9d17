/// A value read from JSON or JSON5, and where in the text it began.
package struct JSON5Node: Hashable, Sendable {
    /// The value.
    package let value: JSON5Value
    /// Offset of its first byte.
    package let offset: Int
}

/// What a JSON or JSON5 text can say.
package enum JSON5Value: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number without fraction and exponent that fits.
    case integer(Int)
    /// Any other number, infinities and NaN among them where the dialect has them.
    case real(Double)
    case string(String)
    case array([JSON5Node])
    /// Members in the order they stand; no key twice.
    case object([JSON5Member])

    /// What people call this kind of value.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer: "an integer"
        case .real: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// A member of an object.
package struct JSON5Member: Hashable, Sendable {
    /// The key, escapes resolved.
    package let key: String
    /// Offset of the key's first byte.
    package let keyOffset: Int
    /// What stands behind the colon.
    package let node: JSON5Node
}
