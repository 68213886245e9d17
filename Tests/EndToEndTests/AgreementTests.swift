import AppAttest
import SimulatedDataServer
import TestSupport
import Testing

@Suite("Database and ledger", .serialized)
struct AgreementTests {
    /// The clock when every first reading is due, and when every second one is.
    private static let firstRefresh: Int64 = 2 * 3_600
    private static let secondRefresh: Int64 = 8 * 86_400 + 2 * 3_600

    private static let plan = PopulationPlan(
        devices: 240, heavyShare: 0.05, quietShare: 0.2, appID: Operator.appID, environment: .production)

    @Test("after two refreshes every receipt handed out is stored, and every receipt stored was handed out")
    func agreement() async throws {
        try await TestDatabase.migrated { database in
            let simulator = try Simulator(Self.plan)
            let person = try Operator(simulator, database)
            #expect(try person.run("ingest", simulator.intakeFile).status == 0)
            for (offset, quiet) in [(Self.firstRefresh, 0), (Self.secondRefresh, 48)] {
                try simulator.moveClock(toOffsetSeconds: offset)
                let ending = try person.run("refresh", "--json")
                #expect(ending.status == 0, "\(ending.errors)")
                #expect(try ending.count("sent") == 240)
                #expect(try ending.count("quiet") == quiet)
                #expect(try ending.count("replaced") == 240 - quiet)
            }
            try await Self.compare(simulator, database, Self.plan)
        }
    }

    @Test("the same through answers that are damaged, stale, another key's, refused, slow or not to be had")
    func agreementThroughFaults() async throws {
        let bodies = ["damaged_signature", "stale", "other_key", "changed_metric", "html", "empty", "echo", "half"]
            .map { #""body": "\#($0)""# }
        let statuses = [304, 400, 404, 429, 500, 503].map { #""status": \#($0)"# }
        // Ten devices each, here and there among the others, once.
        let plan = PopulationPlan(
            devices: 720, heavyShare: 0.05, quietShare: 0.2, appID: Operator.appID, environment: .production)
        let faults = (bodies + statuses).enumerated().map { kind, answer in
            let devices = (0..<10).map { #""device-\#(String(1_000_001 + 5 * kind + 72 * $0).dropFirst())""# }
            return #"{"match": {"device_refs": [\#(devices.joined(separator: ","))]}, \#(answer), "times_a_key": 1}"#
        }
        try await TestDatabase.migrated { database in
            let simulator = try Simulator(
                plan, scenario: #"{"faults": [\#(faults.joined(separator: ","))]}"#)
            let person = try Operator(simulator, database)
            #expect(try person.run("ingest", simulator.intakeFile).status == 0)
            try simulator.moveClock(toOffsetSeconds: Self.firstRefresh)
            let first = try person.run("refresh", "--json")
            #expect(first.status == 1, "\(first.errors)")
            // Ten of each. Failed: six kinds of 200 that do not verify, since half a receipt is base64 too, and the
            // 400s, all charged, but for the last ones where no good answer has come after them; the login page, the
            // empty body, 429, 500 and 503, which are not charged.
            let held = try #require(try first.count("held"))
            #expect(held <= 20)
            let expected = ["sent": 720, "replaced": 580, "failed": 120 - held, "early": 10, "quiet": 10]
            for (name, count) in expected {
                #expect(try first.count(name) == count, "\(name): \(first.output)")
            }
            try simulator.moveClock(toOffsetSeconds: Self.secondRefresh)
            let second = try person.run("refresh", "--json")
            #expect(second.status == 0, "\(second.errors)")
            // The ten that were answered 404 are not due again yet.
            #expect(try second.count("sent") == 710)
            let stored = try await Self.compare(simulator, database, plan)
            #expect(stored.charged == 0)
            #expect(!stored.states.values.contains("quarantined"))
        }
    }

    /// Holds database and ledger against each other, in both directions.
    @discardableResult
    private static func compare(
        _ simulator: Simulator, _ database: TestDatabase, _ plan: PopulationPlan
    ) async throws -> StoredRows {
        let ledger = try simulator.ledger()
        let stored = try await StoredRows.read(database)
        #expect(stored.receipts.count == plan.devices)

        var handedOut: Set<String> = []
        var handedOutReadings: Set<StoredRows.Reading> = []
        var lastStatus: [String: UInt32] = [:]
        for line in ledger {
            let keyID = try #require(line.keyID)
            lastStatus[keyID] = line.status
            guard line.status == 200, let digest = line.answeredDigest else { continue }
            handedOut.insert(digest)
            let kept = [stored.receipts[keyID], stored.replaced[keyID]].contains(digest)
            #expect(kept, "request \(line.number) handed out a receipt that is not stored")
            let creation = try Instant(rfc3339: #require(line.creationTime))
            handedOutReadings.insert(
                StoredRows.Reading(
                    keyID: keyID, creationMilliseconds: creation.microseconds / 1_000,
                    riskMetric: try #require(line.riskMetric)))
        }
        let taken = Set(simulator.minted.population.devices.flatMap(\.keys).map(\.receiptDigest))
        for (keyID, digest) in stored.receipts {
            #expect(handedOut.contains(digest) || taken.contains(digest), "nobody handed out the receipt of \(keyID)")
        }
        #expect(Set(stored.readings) == handedOutReadings)
        #expect(stored.readings.count == handedOutReadings.count)
        for (keyID, state) in stored.states {
            #expect((state == "quiet") == (lastStatus[keyID] == 404), "\(keyID) is \(state)")
        }
        #expect(handedOut.count > 0 && handedOutReadings.count > 0)
        #expect(stored.states.values.contains("quiet"))
        return stored
    }
}
