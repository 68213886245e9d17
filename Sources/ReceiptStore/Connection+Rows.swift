import Postgres

extension Connection {
    /// Runs a query and turns each row into a value; `read` takes the columns in order.
    func all<Value>(
        _ query: Query, _ parameters: [Parameter] = [],
        _ read: (inout Rows) throws(PostgresError) -> Value
    ) throws(PostgresError) -> [Value] {
        var rows = try run(query, parameters)
        var values: [Value] = []
        values.reserveCapacity(rows.count)
        while rows.next() {
            values.append(try read(&rows))
        }
        return values
    }

    /// Runs a query that gives exactly one row.
    func one<Value>(
        _ query: Query, _ parameters: [Parameter] = [],
        _ read: (inout Rows) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        var rows = try run(query, parameters)
        guard rows.count == 1, rows.next() else {
            throw .unexpectedRowCount(query: query.name, expected: 1, found: rows.count)
        }
        return try read(&rows)
    }
}
