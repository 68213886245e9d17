import Foundation
import Postgres
import TestServers
import TestSupport
import Testing

/// Shown by the order of events: a request has come and its answer is held back; every transaction that is open then
/// ends before the answer goes out. One that spanned the request would be there at every look.
@Suite("No transaction is open across the network")
struct OpenTransactionTests {
    private static let mostLooks = 1_000

    /// How many of the program's sessions are inside a transaction.
    private func openTransactions(_ test: TestDatabase) async throws -> Int {
        let query = Query(
            name: "test_open_transactions",
            sql: """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = 'attestwatch' AND xact_start IS NOT NULL
                    AND pid <> pg_backend_pid()
                """)
        return try await test.database.perform { connection throws(PostgresError) in
            var rows = try connection.run(query)
            _ = rows.next()
            return try rows.read()
        }
    }

    /// Looks until no transaction is open, and then some times more; false when one is open at every look.
    private func endByThemselves(_ test: TestDatabase) async throws -> Bool {
        var quietLooks = 0
        for _ in 0..<Self.mostLooks where quietLooks < 5 {
            if try await openTransactions(test) == 0 { quietLooks += 1 }
        }
        return quietLooks == 5
    }

    @Test("one that is left open is seen")
    func leftOpen() async throws {
        try await TestDatabase.migrated { test in
            let other = try Database(test.conninfo)
            try await other.perform { connection throws(PostgresError) in
                try connection.runScript(Query(name: "test_begin", sql: "BEGIN; SELECT 1"))
            }
            #expect(try await openTransactions(test) == 1)
            #expect(try await !endByThemselves(test))
        }
    }

    @Test(
        "all have ended while a request waits for its answer, the first alone and as many as go out after it",
        arguments: [1, 40])
    func whileOnTheWire(devices: Int) async throws {
        try await TestAuthority.with { authority in
            let server = try HoldingServer(try authority.issue())
            try await TestDatabase.migrated { test in
                let stage = try Stage(test, devices: devices, hasServer: false)
                let url = "https://127.0.0.1:\(server.port)/v1/attestationData"
                try stage.ask(url, trusting: authority.certificateFile)
                #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
                // One whose 404 is no sign of a wrong URL.
                try await test.execute(
                    "INSERT INTO attestwatch.data_server (url, answered_time) VALUES ('\(url)', now())")
                try stage.wait(.hours(2))
                let command = try StartedCommand(stage, "refresh", "--json")
                // The first request to a data server goes out alone.
                try server.waitForRequests(1)
                #expect(try await endByThemselves(test))
                if devices > 1 {
                    try server.answer(1)
                    // One to each of the client's connections.
                    try server.waitForRequests(4)
                    #expect(try await endByThemselves(test))
                }
                try server.answer(devices)
                let ending = try command.ending()
                #expect(ending.status == 0, "\(ending.errors)")
                #expect(try jsonLines(ending.output).first?["quiet"] as? Int == devices)
            }
        }
    }
}
