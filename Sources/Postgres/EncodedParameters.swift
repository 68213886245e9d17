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

    /// Encodes values in the order of their `$n`.
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
