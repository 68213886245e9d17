/// A Swift type that a column's value can be read into.
package protocol ColumnValue {
    /// The type's name in PostgreSQL, for errors.
    static var typeName: String { get }
    /// Whether it is read from the type with this object identifier.
    static func isRead(from typeID: UInt32) -> Bool
    /// Reads the binary format; nil when the bytes are no such value.
    init?(binary bytes: borrowing Span<UInt8>)
}

extension Bool: ColumnValue {
    package static var typeName: String { "boolean" }
    package static func isRead(from typeID: UInt32) -> Bool {
        typeID == TypeID.bool
    }

    package init?(binary bytes: borrowing Span<UInt8>) {
        guard bytes.count == 1 else { return nil }
        self = bytes[0] != 0
    }
}

extension Int: ColumnValue {
    package static var typeName: String { "bigint, integer or smallint" }
    package static func isRead(from typeID: UInt32) -> Bool {
        typeID == TypeID.int8 || typeID == TypeID.int4 || typeID == TypeID.int2
    }

    package init?(binary bytes: borrowing Span<UInt8>) {
        guard let value = Int64(binary: bytes) else { return nil }
        self.init(value)
    }
}

extension Int64: ColumnValue {
    package static var typeName: String { "bigint, integer or smallint" }
    package static func isRead(from typeID: UInt32) -> Bool {
        typeID == TypeID.int8 || typeID == TypeID.int4 || typeID == TypeID.int2
    }

    package init?(binary bytes: borrowing Span<UInt8>) {
        guard [2, 4, 8].contains(bytes.count) else { return nil }
        // The first byte carries the sign for all three widths.
        var value = Int64(Int8(bitPattern: bytes[0]))
        for index in bytes.indices.dropFirst() {
            value = value << 8 | Int64(bytes[index])
        }
        self = value
    }
}

extension String: ColumnValue {
    package static var typeName: String { "text" }
    package static func isRead(from typeID: UInt32) -> Bool {
        typeID == TypeID.text || typeID == TypeID.varchar || typeID == TypeID.name
    }

    package init?(binary bytes: borrowing Span<UInt8>) {
        let text = unsafe bytes.withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) }
        guard let text else { return nil }
        self = text
    }
}

extension [UInt8]: ColumnValue {
    package static var typeName: String { "bytea" }
    package static func isRead(from typeID: UInt32) -> Bool {
        typeID == TypeID.bytea
    }

    package init(binary bytes: borrowing Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }
}

extension Timestamp: ColumnValue {
    package static var typeName: String { "timestamptz" }
    package static func isRead(from typeID: UInt32) -> Bool {
        typeID == TypeID.timestamptz
    }

    package init?(binary bytes: borrowing Span<UInt8>) {
        // infinity and -infinity are the ends of the range and no instants.
        guard bytes.count == 8, let value = Int64(binary: bytes), value != .max, value != .min else { return nil }
        let (sum, isOver) = value.addingReportingOverflow(Self.serverEpoch)
        guard !isOver else { return nil }
        self.init(unixMicroseconds: sum)
    }
}
