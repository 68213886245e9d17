import CPostgres

/// The rows of one answer: `next()` steps to the next row, then each `read` takes the next column, in the SELECT's
/// order.
@safe package struct Rows: ~Copyable {
    private let result: OpaquePointer  // owned; PQclear runs exactly once
    private let queryName: String
    private let rowCount: Int32
    private let columnCount: Int32
    private var row: Int32 = -1
    private var column: Int32 = 0

    /// Takes over a result that libpq made.
    init(owning result: OpaquePointer, queryName: String) {
        unsafe self.result = unsafe result
        self.queryName = queryName
        rowCount = unsafe PQntuples(result)
        columnCount = unsafe PQnfields(result)
    }

    deinit { unsafe PQclear(result) }

    /// How many rows came.
    package var count: Int { Int(rowCount) }

    /// How many rows an INSERT, UPDATE or DELETE touched; the row count of a SELECT.
    package var affectedCount: Int {
        unsafe PQcmdTuples(result).flatMap { unsafe Int(String(cString: $0)) } ?? 0
    }

    /// Steps to the next row; false after the last.
    package mutating func next() -> Bool {
        guard row + 1 < rowCount else { return false }
        row += 1
        column = 0
        return true
    }

    /// Takes the next column's value.
    ///
    /// - Throws: `unexpectedValue` for NULL, another type, bytes that are no such value, or when there is no column
    /// left.
    package mutating func read<Value: ColumnValue>(_ type: Value.Type = Value.self) throws(PostgresError) -> Value {
        guard let value = try readOptional(type) else {
            throw unexpected(type, found: "NULL", column: column - 1)
        }
        return value
    }

    /// Takes the next column's value, nil for NULL.
    ///
    /// - Throws: `unexpectedValue` for another type, bytes that are no such value, or when there is no column left.
    package mutating func readOptional<Value: ColumnValue>(
        _ type: Value.Type = Value.self
    ) throws(PostgresError) -> Value? {
        let column = column
        guard row >= 0, column < columnCount else { throw unexpected(type, found: "no column", column: column) }
        self.column += 1
        if unsafe PQgetisnull(result, row, column) == 1 { return nil }
        let typeID = unsafe PQftype(result, column)
        guard Value.isRead(from: typeID) else { throw unexpected(type, found: "type \(typeID)", column: column) }
        let length = unsafe PQgetlength(result, row, column)
        let bytes = unsafe UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: Int(length))
            .assumingMemoryBound(to: UInt8.self)
        guard let value = unsafe Value(binary: bytes.span) else {
            throw unexpected(type, found: "\(length) bytes that are none", column: column)
        }
        return value
    }

    /// Takes the next column's value and makes something narrower of it.
    ///
    /// - Throws: as `read`, and `unexpectedValue` where `make` gives nil; `expected` says what it should have been.
    package mutating func read<Value: ColumnValue, Made>(
        _ expected: @autoclosure () -> String, _ make: (Value) -> Made?
    ) throws(PostgresError) -> Made {
        let value: Value = try read()
        guard let made = make(value) else {
            throw unexpected(Value.self, expected: expected(), found: "another value", column: column - 1)
        }
        return made
    }

    /// The same, nil for NULL.
    package mutating func readOptional<Value: ColumnValue, Made>(
        _ expected: @autoclosure () -> String, _ make: (Value) -> Made?
    ) throws(PostgresError) -> Made? {
        guard let value: Value = try readOptional() else { return nil }
        guard let made = make(value) else {
            throw unexpected(Value.self, expected: expected(), found: "another value", column: column - 1)
        }
        return made
    }

    private func unexpected(
        _ type: any ColumnValue.Type, expected: String? = nil, found: String, column: Int32
    ) -> PostgresError {
        let name = unsafe PQfname(result, column).map { unsafe String(cString: $0) } ?? "number \(column + 1)"
        return .unexpectedValue(query: queryName, column: name, expected: expected ?? type.typeName, found: found)
    }
}
