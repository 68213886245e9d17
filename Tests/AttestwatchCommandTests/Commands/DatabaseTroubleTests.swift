import AppAttest
import AttestwatchCommand
import Foundation
import Postgres
import TestSupport
import Testing

@Suite("A refresh whose database is in trouble")
struct DatabaseTroubleTests {
    private static let back = "attestwatch: warning: the database is available again\n"
    private static let hint = "hint: the same command can be run again when the database is back\n"

    /// A fleet on a cluster of its own, all of it due.
    private func dueStage(
        _ cluster: TestCluster, devices: Int, requestsPerSecond: Int = 1000
    ) async throws -> (Stage, TestDatabase) {
        let test = try await cluster.migrated()
        let stage = try Stage(test, devices: devices, requestsPerSecond: requestsPerSecond)
        #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
        try stage.wait(.hours(2))
        return (stage, test)
    }

    /// The end of a run that did all of its work, each receipt sent once.
    private func expectDone(
        _ ending: (status: Int32, output: String, errors: String), _ stage: Stage, devices: Int
    ) async throws {
        #expect(ending.status == 0, "\(ending.errors)")
        #expect(ending.errors.components(separatedBy: "; trying again for up to ").count == 2, "\(ending.errors)")
        #expect(ending.errors.components(separatedBy: Self.back).count == 2, "\(ending.errors)")
        #expect(try stage.ledger().count == devices)
        let status = try #require(try jsonLines(try await stage.attestwatch("status", "--json").output).first)
        #expect(status["fresh"] as? Int == devices && status["due"] as? Int == 0)
    }

    @Test("away at the start: waited for within the run's time, told of once, then 75; nothing was sent")
    func away() async throws {
        let cluster = try TestCluster()
        let (stage, test) = try await dueStage(cluster, devices: 5)
        let before = try await Standing.read(test)
        cluster.stop()
        let result = try await stage.attestwatch("refresh", "--max-duration", "5s", "--json")
        #expect(result.code == .database && result.output == "")
        let lines = result.errors.components(separatedBy: "\n")
        let message = "the database is not available: connection to server on socket "
        #expect(lines.first?.hasPrefix("attestwatch: warning: \(message)") == true, "\(result.errors)")
        #expect(lines.first?.contains(/; trying again for up to [1-5] s$/) == true, "\(result.errors)")
        #expect(lines.dropFirst().first?.hasPrefix("attestwatch: error: \(message)") == true, "\(result.errors)")
        #expect(lines.dropFirst(2).joined(separator: "\n") == Self.hint)
        try cluster.start()
        #expect(try stage.ledger().isEmpty)
        #expect(try await Standing.read(try cluster.database()) == before)
    }

    @Test("away at the start, and back while the run waits: all is done, and standard error tells both")
    func comesBack() async throws {
        let cluster = try TestCluster()
        let (stage, _) = try await dueStage(cluster, devices: 20)
        cluster.stop()
        let command = try StartedCommand(stage, "refresh")
        #expect(command.says("; trying again for up to 60 s\n"))
        try cluster.start()
        try await expectDone(try command.ending(), stage, devices: 20)
    }

    @Test("lost in the middle, and back while the run waits: no answer is lost, and no receipt is sent again")
    func lostInTheMiddle() async throws {
        let cluster = try TestCluster()
        let (stage, _) = try await dueStage(cluster, devices: 90, requestsPerSecond: 30)
        let command = try StartedCommand(stage, "refresh", "--events", "-")
        #expect(command.beginsToWrite())
        cluster.stop()
        #expect(command.says("; trying again for up to 60 s\n"))
        try cluster.start()
        let ending = try command.ending()
        #expect(try jsonLines(ending.output).count == 90)
        try await expectDone(ending, stage, devices: 90)
    }

    @Test("read-only, as a standby is: nothing is sent, and once it is promoted all is done")
    func standby() async throws {
        let cluster = try TestCluster()
        let (stage, test) = try await dueStage(cluster, devices: 20)
        let before = try await Standing.read(test)
        cluster.stop()
        try cluster.start(as: .standby)
        let result = try await stage.attestwatch("refresh", "--max-duration", "4s")
        #expect(result.code == .database)
        let message = "the database is not available: cannot execute INSERT in a read-only transaction"
        #expect(result.errors.contains("attestwatch: error: \(message)\n"), "\(result.errors)")
        #expect(try stage.ledger().isEmpty)
        let command = try StartedCommand(stage, "refresh")
        #expect(command.says("attestwatch: warning: \(message); trying again for up to 60 s\n"))
        #expect(try await Standing.read(try cluster.database()) == before)
        try cluster.promote()
        try await expectDone(try command.ending(), stage, devices: 20)
    }

    /// One way in which a store transaction can fail for a while, and how often it does.
    struct Failure: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let statement: String
        let times: Int

        /// An error that the server raises.
        init(_ name: String, _ sqlState: String, times: Int) {
            testDescription = name
            statement = "RAISE EXCEPTION 'for a while' USING ERRCODE = '\(sqlState)';"
            self.times = times
        }

        /// A session that ends.
        init(_ name: String, statement: String) {
            testDescription = name
            self.statement = statement
            self.times = 1
        }

        /// Makes the next receipts that are replaced fail, `times` times, through however many transactions.
        func arrange(_ test: TestDatabase, always: Bool) async throws {
            try await test.execute(
                """
                CREATE SEQUENCE public.failures;
                CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF \(always) OR nextval('public.failures') <= \(times) THEN \(statement) END IF;
                    RETURN NULL;
                END $$;
                CREATE TRIGGER fails AFTER UPDATE ON attestwatch.receipt
                    FOR EACH STATEMENT EXECUTE FUNCTION public.fail()
                """)
        }
    }

    private static let failures = [
        // Races are run again at once, twice; a fourth failure needs patience.
        Failure("serialization failure", "40001", times: 4),
        Failure("deadlock", "40P01", times: 4),
        Failure("lock timeout", "55P03", times: 1),
        Failure("too many connections", "53300", times: 1),
        Failure("disk full", "53100", times: 1),
        Failure("read-only", "25006", times: 1),
        Failure("shutdown", "57P01", times: 1),
        Failure("session ended inside the transaction", statement: "PERFORM pg_terminate_backend(pg_backend_pid());"),
    ]

    @Test(
        "a transaction that fails for a while is run again until it works, and its answers are stored once",
        arguments: failures)
    func passing(failure: Failure) async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 5)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            try stage.wait(.hours(2))
            try await failure.arrange(test, always: false)
            let result = try await stage.attestwatch("refresh", "--json")
            #expect(result.code == .success, "\(result.errors)")
            #expect(try jsonLines(result.output).first?["replaced"] as? Int == 5)
            #expect(result.errors.contains(Self.back))
            #expect(try stage.ledger().count == 5)
            #expect(try await Standing.read(test).attempts == 0)
        }
    }

    @Test(
        "one that goes on failing is 75 at the end of the run's time, nobody is charged, and the old receipts stay",
        arguments: failures)
    func lasting(failure: Failure) async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 5)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            try stage.wait(.hours(2))
            let before = try await Standing.read(test)
            try await failure.arrange(test, always: true)
            // On a busy machine a short time may be over before anything is sent: then there is nothing to store.
            var result = try await stage.attestwatch("refresh", "--max-duration", "4s")
            for longer in ["15s", "60s"] where try stage.ledger().isEmpty {
                result = try await stage.attestwatch("refresh", "--max-duration", longer)
            }
            #expect(result.code == .database)
            #expect(result.errors.contains("attestwatch: error: the database is not available: "), "\(result.errors)")
            #expect(result.errors.hasSuffix(Self.hint), "\(result.errors)")
            #expect(try await Standing.read(test) == before)
        }
    }
}
