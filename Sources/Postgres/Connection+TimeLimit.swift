import System

extension Connection {
    /// Runs `body`, and ends its connection after so many whole seconds: a server or a pooler that stands still would
    /// keep libpq waiting for ever.
    func withTimeLimit<Value>(
        _ limit: Duration, _ body: (borrowing Connection) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        let timeLimit: SocketTimeLimit
        do throws(SystemError) {
            timeLimit = try SocketTimeLimit(socket, milliseconds: Int32(clamping: limit.components.seconds * 1000))
        } catch {
            throw .noThread(call: error.call, code: error.code)
        }
        defer { timeLimit.lift() }
        return try body(self)
    }
}
