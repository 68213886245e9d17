import Foundation
import Postgres
import SimulatedDataServer
import TestSupport
import Testing

/// A fleet that has been taken in and is due, with what tests of many workers ask of it.
struct Fleet {
    let simulator: Simulator
    /// The database itself; workers may go to it by another way.
    let database: TestDatabase
    /// The clock when every key is due for the first time, and how much later each is due again.
    private static let firstRefresh: Int64 = 2 * 3_600
    private static let cadence: Int64 = 8 * 86_400

    /// Mints keys, takes them in, and lets them come due.
    init(_ database: TestDatabase, keys: Int, scenario: String? = nil) async throws {
        self.database = database
        simulator = try Simulator(
            PopulationPlan(devices: keys, appID: Machine.appID, environment: .production), scenario: scenario)
        let ending = try await Machine("intake", simulator, database).start("ingest", simulator.intakeFile).ending()
        try #require(ending.code == 0, "\(ending.errors)")
        try simulator.moveClock(toOffsetSeconds: Self.firstRefresh)
    }

    /// The same fleet, its database reached anew.
    init(_ other: Fleet, in database: TestDatabase) {
        simulator = other.simulator
        self.database = database
    }

    /// Lets every key that has been refreshed `rounds` times come due again.
    func comeDueAgain(_ rounds: Int64) throws {
        try simulator.moveClock(toOffsetSeconds: Self.firstRefresh + rounds * Self.cadence)
    }

    /// A run that finds nothing left to do, and database and ledger then.
    func expectNothingLost(
        _ machine: Machine, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let quiet = try await machine.start("refresh", "--json").ending()
        #expect(quiet.code == 0, "\(quiet.errors)", sourceLocation: sourceLocation)
        #expect(
            try quiet.count("due") == 0 && quiet.count("sent") == 0, "\(quiet.output)", sourceLocation: sourceLocation)
        let comparison = try await FleetComparison(simulator, database)
        #expect(
            comparison.problems.isEmpty, "\(comparison.problems.prefix(5)) of \(comparison.problems.count)",
            sourceLocation: sourceLocation)
        #expect(comparison.handedOut > 0, sourceLocation: sourceLocation)
    }

    /// Every key was sent so many times, each time once.
    func expectSent(_ times: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let keys = simulator.minted.population.devices.flatMap(\.keys).count
        let lines = try simulator.ledger()
        #expect(lines.count == keys * times, sourceLocation: sourceLocation)
        #expect(Set(lines.map(\.sentDigest)).count == keys * times, sourceLocation: sourceLocation)
    }

    /// Of these digests (hexadecimal) of receipts, how many are stored.
    func storedCount(_ digests: [String]) async throws -> Int {
        let query = Query(
            name: "test_stored",
            sql: """
                SELECT count(*) FROM attestwatch.receipt
                WHERE encode(sha256(bytes), 'hex') = ANY (string_to_array($1, ','))
                """)
        return try await database.database.perform { connection throws(PostgresError) in
            var rows = try connection.run(query, [.text(digests.joined(separator: ","))])
            _ = rows.next()
            return try rows.read()
        }
    }

    /// Rows of a table, or of a query in its place, in one order.
    func rows(_ table: String) async throws -> [String] {
        try await database.database.perform { connection throws(PostgresError) in
            var rows = try connection.run(
                Query(name: "test_rows", sql: "SELECT t::text FROM \(table) t ORDER BY t::text"))
            var texts: [String] = []
            while rows.next() { texts.append(try rows.read()) }
            return texts
        }
    }

    /// How many shards somebody holds at present.
    func heldShards() async throws -> Int {
        try await rows(
            "(SELECT shard FROM attestwatch.shard_lease WHERE until_time > clock_timestamp())"
        ).count
    }
}
