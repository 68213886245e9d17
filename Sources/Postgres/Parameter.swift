/// A value for `$n` in a query, sent in PostgreSQL's binary format with its type stated. Nil is NULL.
package enum Parameter: Sendable {
    case bool(Bool?)
    /// bigint; PostgreSQL narrows it on assignment and says so when it does not fit.
    case int(Int64?)
    case text(String?)
    case bytes([UInt8]?)
    case time(Timestamp?)
    /// The arrays are for `unnest`: one statement for a whole batch.
    case bools([Bool?])
    case ints([Int64?])
    case texts([String?])
    case bytesArray([[UInt8]?])
    case times([Timestamp?])
}

/// Object identifiers of the types this module speaks (`pg_type.dat` in PostgreSQL's source; they never change).
enum TypeID {
    static let bool: UInt32 = 16
    static let bytea: UInt32 = 17
    static let name: UInt32 = 19
    static let int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
    static let varchar: UInt32 = 1043
    static let timestamptz: UInt32 = 1184
    static let boolArray: UInt32 = 1000
    static let byteaArray: UInt32 = 1001
    static let textArray: UInt32 = 1009
    static let int8Array: UInt32 = 1016
    static let timestamptzArray: UInt32 = 1185
}

/// A statement's parameters, encoded one behind the other into one buffer.
struct EncodedParameters {
    /// The value bytes of all parameters.
    private(set) var buffer: [UInt8] = []
    /// Each parameter's type.
    private(set) var types: [UInt32] = []
    /// Where each parameter begins in `buffer`; nil is NULL.
    private(set) var offsets: [Int?] = []
    /// Each parameter's length in bytes.
    private(set) var lengths: [Int32] = []

    init(_ parameters: [Parameter]) {
        for parameter in parameters {
            let start = buffer.count
            let (type, isNull) = append(parameter)
            types.append(type)
            offsets.append(isNull ? nil : start)
            lengths.append(Int32(buffer.count - start))
        }
    }

    private mutating func append(_ parameter: Parameter) -> (type: UInt32, isNull: Bool) {
        switch parameter {
        case .bool(let value): (TypeID.bool, append(value))
        case .int(let value): (TypeID.int8, append(value))
        case .text(let value): (TypeID.text, append(value))
        case .bytes(let value): (TypeID.bytea, append(value))
        case .time(let value): (TypeID.timestamptz, append(value))
        case .bools(let values): (TypeID.boolArray, append(values, of: TypeID.bool))
        case .ints(let values): (TypeID.int8Array, append(values, of: TypeID.int8))
        case .texts(let values): (TypeID.textArray, append(values, of: TypeID.text))
        case .bytesArray(let values): (TypeID.byteaArray, append(values, of: TypeID.bytea))
        case .times(let values): (TypeID.timestamptzArray, append(values, of: TypeID.timestamptz))
        }
    }

    /// Appends a value's bytes; true when it is NULL and nothing was appended.
    private mutating func append(_ value: (some BinaryEncodable)?) -> Bool {
        guard let value else { return true }
        value.encode(to: &buffer)
        return false
    }

    /// Appends a one-dimensional array (`array_recv` in PostgreSQL's source); never NULL itself.
    private mutating func append(_ values: [(some BinaryEncodable)?], of element: UInt32) -> Bool {
        buffer.appendBigEndian(Int32(values.isEmpty ? 0 : 1))  // dimensions
        buffer.appendBigEndian(Int32(values.contains { $0 == nil } ? 1 : 0))  // has NULLs
        buffer.appendBigEndian(element)
        guard !values.isEmpty else { return false }
        buffer.appendBigEndian(Int32(values.count))
        buffer.appendBigEndian(Int32(1))  // lower bound
        for value in values {
            let place = buffer.count
            buffer.appendBigEndian(Int32(-1))
            guard let value else { continue }
            value.encode(to: &buffer)
            buffer.overwriteBigEndian(Int32(buffer.count - place - 4), at: place)
        }
        return false
    }
}

/// A value that knows its binary format.
protocol BinaryEncodable {
    func encode(to buffer: inout [UInt8])
}

extension Bool: BinaryEncodable {
    func encode(to buffer: inout [UInt8]) { buffer.append(self ? 1 : 0) }
}

extension Int64: BinaryEncodable {
    func encode(to buffer: inout [UInt8]) { buffer.appendBigEndian(self) }
}

extension String: BinaryEncodable {
    func encode(to buffer: inout [UInt8]) { buffer.append(contentsOf: utf8) }
}

extension [UInt8]: BinaryEncodable {
    func encode(to buffer: inout [UInt8]) { buffer.append(contentsOf: self) }
}

extension Timestamp: BinaryEncodable {
    func encode(to buffer: inout [UInt8]) { buffer.appendBigEndian(unixMicroseconds - Self.serverEpoch) }
}

extension [UInt8] {
    mutating func appendBigEndian(_ value: some FixedWidthInteger) {
        unsafe Swift.withUnsafeBytes(of: value.bigEndian) { unsafe append(contentsOf: $0) }
    }

    mutating func overwriteBigEndian(_ value: Int32, at place: Int) {
        for index in 0..<4 {
            self[place + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * index))
        }
    }
}
