import Foundation
import SimulatedDataServer
import TestSupport
import Testing

/// A fleet that has been taken in and is due, with what tests of many workers ask of it.
struct Fleet {
    let simulator: Simulator
    /// The database itself; workers may go to it by another way.
    let database: TestDatabase
    /// The clock when every key is due for the first time, and how much later each may be asked for again.
    /// By then heavy devices show as such.
    private static let firstRefresh: Int64 = 7 * 86_400
    private static let notBefore: Int64 = 25 * 3_600

    /// Mints keys of as many devices, one in fifty of them heavy, takes them in, and lets them come due.
    init(_ database: TestDatabase, keys: Int, scenario: String? = nil) async throws {
        self.database = database
        simulator = try Simulator(
            PopulationPlan(devices: keys, heavyShare: 0.02, appID: Machine.appID, environment: .production),
            scenario: scenario)
        let ending = try await Machine("intake", simulator, database).start("ingest", simulator.intakeFile).ending()
        try #require(ending.code == 0, "\(ending.errors)")
        try simulator.moveClock(toOffsetSeconds: Self.firstRefresh)
    }

    /// The same fleet, its database reached anew.
    init(_ other: Fleet, in database: TestDatabase) {
        simulator = other.simulator
        self.database = database
    }

    /// Lets every key that has been refreshed `rounds` times come due again: as soon as the receipts allow it, so that
    /// many rounds find place in the 30 days after which a device has no data.
    func comeDueAgain(_ rounds: Int64) async throws {
        try #require(rounds < 20)
        let offset = Self.firstRefresh + rounds * Self.notBefore
        try simulator.moveClock(toOffsetSeconds: offset)
        try await database.execute(
            "UPDATE attestwatch.schedule SET due_time = clock_timestamp() + interval '\(offset) seconds'")
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
        #expect(comparison.handedOut > 0 && comparison.flagged > 0, sourceLocation: sourceLocation)
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
        try await database.number(
            """
            SELECT count(*) FROM attestwatch.receipt
            WHERE encode(sha256(bytes), 'hex') = ANY (string_to_array('\(digests.joined(separator: ","))', ','))
            """)
    }

    /// Rows of a table in one order.
    func rows(_ table: String) async throws -> [String] {
        try await database.texts("SELECT t::text FROM \(table) t ORDER BY t::text")
    }

    /// How many keys are due by the fleet's clock.
    func dueCount() async throws -> Int {
        let offset = try String(contentsOfFile: simulator.clockFile, encoding: .utf8).trimmingCharacters(in: .newlines)
        return try await database.number(
            """
            SELECT count(*) FROM attestwatch.schedule
            WHERE due_time <= clock_timestamp() + interval '\(offset) seconds'
            """)
    }

    /// How many shards somebody holds at present.
    func heldShards() async throws -> Int {
        try await database.number(
            "SELECT count(*) FROM attestwatch.shard_lease WHERE until_time > clock_timestamp()")
    }
}
