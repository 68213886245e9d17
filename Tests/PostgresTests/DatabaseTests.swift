import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("A database behind its thread")
struct DatabaseTests {
    private let count = Query(name: "count", sql: "SELECT count(*) FROM tried")
    private let insert = Query(name: "insert", sql: "INSERT INTO tried VALUES ($1)")

    private func makeTable(_ test: TestDatabase) async throws {
        let make = Query(name: "make", sql: "CREATE TABLE tried (id bigint PRIMARY KEY)")
        try await test.database.perform { connection throws(PostgresError) in try connection.runScript(make) }
    }

    private func rowCount(_ test: TestDatabase) async throws -> Int {
        let count = count
        return try await test.database.perform { connection throws(PostgresError) in
            var rows = try connection.run(count)
            _ = rows.next()
            return try rows.read()
        }
    }

    @Test("a transaction that returns is kept, one that throws is not")
    func transactions() async throws {
        let insert = insert
        try await TestDatabase.empty { test in
            try await makeTable(test)
            try await test.database.transaction { connection throws(PostgresError) in
                _ = try connection.run(insert, [.int(1)])
            }
            await #expect(throws: PostgresError.self) {
                try await test.database.transaction { connection throws(PostgresError) in
                    _ = try connection.run(insert, [.int(2)])
                    _ = try connection.run(insert, [.int(1)])
                }
            }
            #expect(try await rowCount(test) == 1)
        }
    }

    @Test("a refused query is named with its SQLSTATE")
    func refused() async throws {
        let count = count
        try await TestDatabase.empty { test in
            let error = await #expect(throws: PostgresError.self) {
                try await test.database.perform { connection throws(PostgresError) in _ = try connection.run(count) }
            }
            #expect(
                error
                    == .queryFailed(
                        query: "count", sqlState: "42P01", message: "relation \"tried\" does not exist"))
            #expect(error?.isRetryable == false)
        }
    }

    @Test("a call that takes longer than the limit ends with the connection, one that does not leaves it as it is")
    func timeLimit() async throws {
        let wait = Query(name: "wait", sql: "SELECT pg_sleep(600)")
        let session = Query(name: "session", sql: "SELECT pg_backend_pid()::bigint")
        try await TestDatabase.empty { test in
            let database = try Database(test.conninfo, limit: .seconds(1))
            func asked() async throws -> Int {
                try await database.perform { connection throws(PostgresError) in
                    var rows = try connection.run(session)
                    _ = rows.next()
                    return try rows.read()
                }
            }
            let first = try await asked()
            #expect(try await asked() == first)
            let error = await #expect(throws: PostgresError.self) {
                try await database.perform { connection throws(PostgresError) in _ = try connection.run(wait) }
            }
            guard case .connectionLost(query: "wait", _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(try await asked() != first)
        }
    }

    @Test("a session that the server ended is an error once, and made anew at the next use")
    func reconnects() async throws {
        let end = Query(name: "end", sql: "SELECT pg_terminate_backend(pg_backend_pid())")
        try await TestDatabase.empty { test in
            let error = await #expect(throws: PostgresError.self) {
                try await test.database.perform { connection throws(PostgresError) in _ = try connection.run(end) }
            }
            #expect(error?.isRetryable == true)
            try await makeTable(test)
            #expect(try await rowCount(test) == 0)
        }
    }

    /// How often a transaction was begun.
    private final class Tries: Sendable {
        let count = Mutex(0)
    }

    /// A transaction that changes one row, at its first try waits until another has changed its own, and then wants
    /// that one too. Each tells of its row by an advisory lock.
    private func change(_ own: Int64, then other: Int64, on database: Database, _ tries: Tries) async throws {
        let update = Query(name: "update", sql: "UPDATE tried SET times = times + 1 WHERE id = $1")
        let tell = Query(name: "tell", sql: "SELECT pg_advisory_xact_lock($1)")
        let look = Query(
            name: "look",
            sql: """
                SELECT count(*) FROM pg_locks
                WHERE locktype = 'advisory' AND objid::bigint = $1
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """)
        try await database.transaction { connection throws(PostgresError) in
            let isFirst = tries.count.withLock { count in
                count += 1
                return count == 1
            }
            try connection.run(update, [.int(own)])
            try connection.run(tell, [.int(own)])
            for _ in 0..<100_000 where isFirst {
                var rows = try connection.run(look, [.int(other)])
                _ = rows.next()
                if try rows.read(Int.self) > 0 { break }
            }
            try connection.run(update, [.int(other)])
        }
    }

    @Test("of two transactions in a deadlock the one that the server breaks off is run again, and both are kept")
    func deadlock() async throws {
        try await TestDatabase.empty { test in
            try await test.database.perform { connection throws(PostgresError) in
                try connection.runScript(
                    Query(
                        name: "make",
                        sql: """
                            CREATE TABLE tried (id bigint PRIMARY KEY, times bigint DEFAULT 0);
                            INSERT INTO tried (id) VALUES (1), (2)
                            """))
            }
            let tries = [Tries(), Tries()]
            let other = try test.anew()
            async let one: Void = change(1, then: 2, on: test.database, tries[0])
            async let two: Void = change(2, then: 1, on: other.database, tries[1])
            _ = try await (one, two)
            // Two tries and the one again that was broken off; a machine under load lets the two meet once more.
            #expect(tries.reduce(0) { $0 + $1.count.withLock { $0 } } > 2)
            let sum = Query(name: "sum", sql: "SELECT sum(times)::bigint FROM tried")
            let times: Int = try await test.database.perform { connection throws(PostgresError) in
                var rows = try connection.run(sum)
                _ = rows.next()
                return try rows.read()
            }
            #expect(times == 4)
        }
    }

    @Test("a session that stands still inside a transaction is ended, and the next use connects anew")
    func standingStill() async throws {
        let (insert, count) = (insert, count)
        let shorten = Query(name: "shorten", sql: "SET LOCAL idle_in_transaction_session_timeout = '100ms'")
        let own = Query(name: "own", sql: "SELECT pg_backend_pid()::bigint")
        let look = Query(name: "look", sql: "SELECT count(*) FROM pg_stat_activity WHERE pid = $1")
        try await TestDatabase.empty { test in
            try await makeTable(test)
            let conninfo = test.conninfo
            let error = await #expect(throws: PostgresError.self) {
                try await test.database.transaction { connection throws(PostgresError) in
                    try connection.runScript(shorten)
                    try connection.run(insert, [.int(1)])
                    var process = try connection.run(own)
                    _ = process.next()
                    let number: Int64 = try process.read()
                    // Stands still for as long as another session sees this one.
                    let onlooker = try Connection(conninfo)
                    var isThere = true
                    for _ in 0..<100_000 where isThere {
                        var seen = try onlooker.run(look, [.int(number)])
                        _ = seen.next()
                        isThere = try seen.read(Int.self) > 0
                    }
                    try connection.run(count)
                }
            }
            #expect(error?.isRetryable == true)
            #expect(try await rowCount(test) == 0)
        }
    }

    @Test("the server ends a session that stands still before those that wait for its locks give up")
    func endedInTime() async throws {
        let settings = Query(
            name: "settings",
            sql: """
                SELECT current_setting('idle_in_transaction_session_timeout')::interval
                    < current_setting('lock_timeout')::interval / 2
                """)
        try await TestDatabase.empty { test in
            let isSooner: Bool = try await test.database.transaction { connection throws(PostgresError) in
                var rows = try connection.run(settings)
                _ = rows.next()
                return try rows.read()
            }
            #expect(isSooner)
        }
    }

    @Test("an unreachable server is an error that may pass")
    func unreachable() async throws {
        let count = count
        let database = try Database("host=/nonexistent/socket user=nobody dbname=none")
        let error = await #expect(throws: PostgresError.self) {
            try await database.perform { connection throws(PostgresError) in _ = try connection.run(count) }
        }
        #expect(error?.isRetryable == true)
    }

    @Test(
        "what is retryable, by SQLSTATE",
        arguments: [
            ("08006", true), ("53300", true), ("57P01", true), ("57P03", true), ("25006", true), ("40001", true),
            ("40P01", true), ("55P03", true), ("57014", false), ("23505", false), ("42501", false), ("22003", false),
        ])
    func retryable(sqlState: String, expected: Bool) {
        #expect(PostgresError.queryFailed(query: "q", sqlState: sqlState, message: "").isRetryable == expected)
    }
}
