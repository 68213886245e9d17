import Postgres
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
