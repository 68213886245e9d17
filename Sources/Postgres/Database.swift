import System

/// A connection on a thread of its own: libpq's blocking calls never hold up the cooperative pool.
///
/// It connects when it is first used, and again at the next use after the connection was lost.
///
///     let keys = try await database.transaction { connection throws(PostgresError) in
///         var rows = try connection.run(.keysOfDevice, [.text(deviceRef)])
///         …
///     }
package actor Database {
    private let conninfo: String
    private let executor: ThreadExecutor
    private let limit: Duration?
    private var connection: Connection?

    /// Takes a libpq string or URI (empty: PG* variables); does not connect yet.
    ///
    /// - Parameter limit: how long the connection may be lent at a time; it is lost then, whatever it waits for.
    /// - Throws: `noThread`, `invalidConnectionString`.
    package init(_ conninfo: String, limit: Duration? = nil) throws(PostgresError) {
        _ = try ConnectionSettings.parse(conninfo)
        self.conninfo = conninfo
        self.limit = limit
        do {
            executor = try ThreadExecutor()
        } catch {
            throw .noThread(call: error.call, code: error.code)
        }
    }

    deinit { executor.stop() }

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// Lends the connection. Each statement is a transaction of its own, unless `body` begins one.
    package func perform<Value: Sendable>(
        _ body: @Sendable (borrowing Connection) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        if let held = connection.take(), held.isUsable {
            connection = consume held
        } else {
            connection = try Connection(conninfo)
        }
        return try lend(body)
    }

    /// Runs `body` in one transaction: committed when it returns, rolled back when it throws.
    ///
    /// One that loses a race (deadlock, serialization) is run again from its start, at most twice.
    package func transaction<Value: Sendable>(
        _ body: @Sendable (borrowing Connection) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        for _ in 0..<2 {
            do {
                return try perform { connection throws(PostgresError) in try connection.transaction(body) }
            } catch {
                guard error.isRace else { throw error }
            }
        }
        return try perform { connection throws(PostgresError) in try connection.transaction(body) }
    }

    private func lend<Value>(
        _ body: (borrowing Connection) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        switch connection {
        case .some(let connection):
            guard let limit else { return try body(connection) }
            return try connection.withTimeLimit(limit, body)
        case .none:
            throw .connectionFailed(message: "not connected")
        }
    }
}

extension Connection {
    /// Runs `body` in a transaction that is rolled back however it ends.
    package func rollingBack<Value>(
        _ body: (borrowing Connection) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        try runScript(.begin)
        defer { if isUsable { try? runScript(.rollback) } }
        return try body(self)
    }

    /// Runs `body` between BEGIN and COMMIT, or ROLLBACK when it throws.
    package func transaction<Value>(
        _ body: (borrowing Connection) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        try runScript(.begin)
        let value: Value
        do {
            value = try body(self)
            try runScript(.commit)
        } catch {
            // A broken connection rolls back by itself.
            if isUsable { try? runScript(.rollback) }
            throw error
        }
        return value
    }
}

extension Query {
    /// READ COMMITTED is said aloud, because each statement must see what others committed before its locks were had.
    /// READ WRITE is not: where an operator or a provider has made the database read-only, it stays so (25006).
    /// SET LOCAL ends with the transaction, as a pooler needs. No transaction waits for anything but the database, so a
    /// client that stands still in one has been stopped: its session ends before those that wait for its locks give up.
    fileprivate static let begin = Query(
        name: "begin",
        sql: """
            BEGIN ISOLATION LEVEL READ COMMITTED;
            SET LOCAL lock_timeout = '30s';
            SET LOCAL statement_timeout = '5min';
            SET LOCAL idle_in_transaction_session_timeout = '10s'
            """)
    fileprivate static let commit = Query(name: "commit", sql: "COMMIT")
    fileprivate static let rollback = Query(name: "rollback", sql: "ROLLBACK")
}
