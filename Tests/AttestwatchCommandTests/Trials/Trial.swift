import AttestwatchCommand
import Foundation
import Postgres
import SimulatedDataServer
import TestSupport
import Testing

/// A stage whose receipts are taken in and due, one after another in an order that the test may decide.
struct Trial {
    let stage: Stage
    let test: TestDatabase
    private let deviceOfKey: [String: String]

    /// Takes the receipts in and lets two hours pass.
    init(_ stage: Stage, _ test: TestDatabase) async throws {
        self.stage = stage
        self.test = test
        deviceOfKey = Dictionary(
            uniqueKeysWithValues: stage.population.intake.map { ($0.keyID.base64EncodedString(), $0.deviceRef) })
        #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
        try stage.wait(.hours(2))
    }

    /// The devices' references, `device-000001` first.
    var devices: [String] { stage.population.population.devices.map(\.deviceRef) }

    /// Makes every receipt due within the last hour, a millisecond apart in this order.
    func setOrder(_ devices: [String]) async throws {
        let now = stage.attestwatch.clock.now().microseconds / 1_000_000
        let query = Query(
            name: "test_order",
            sql: """
                UPDATE attestwatch.schedule s
                SET due_time = to_timestamp(\(now) - 3600) + wanted.place * interval '1 millisecond'
                FROM unnest(string_to_array($1, ',')) WITH ORDINALITY AS wanted (device_ref, place)
                JOIN attestwatch.attested_key k USING (device_ref)
                WHERE s.key_id = k.key_id
                """)
        try await test.database.perform { connection throws(PostgresError) in
            _ = try connection.run(query, [.text(devices.joined(separator: ","))])
        }
    }

    /// What a refresh came to.
    struct Run {
        let code: ExitCode
        let errors: String
        let summary: [String: Int]
        /// The last event of each device.
        let events: [String: [String: Any]]
    }

    /// Runs a refresh.
    func refresh(_ more: String...) async throws -> Run {
        let file = "\(stage.folder)/events-\(UUID().uuidString)"
        let result = try await stage.attestwatch.run(["refresh", "--json", "--events", file] + more)
        var events: [String: [String: Any]] = [:]
        for event in try jsonLines(try String(contentsOfFile: file, encoding: .utf8)) {
            if let keyID = event["key_id"] as? String, let device = deviceOfKey[keyID] { events[device] = event }
        }
        let summary = try jsonLines(result.output).first as? [String: Int] ?? [:]
        return Run(code: result.code, errors: result.errors, summary: summary, events: events)
    }

    /// How often each device's receipt was sent.
    func requests() throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for line in try stage.ledger() {
            if let device = line.keyID.flatMap({ deviceOfKey[$0] }) { counts[device, default: 0] += 1 }
        }
        return counts
    }

    /// How a device's row stands.
    struct Row: Hashable, Sendable {
        let state: String
        let reason: String
        let attempts: Int
        let failures: Int
        let outcome: String
        let status: Int
        let traceLength: Int
        /// From the last outcome to the next try.
        let wait: Duration
        let hasReading: Bool
    }

    /// The rows of all devices.
    func rows() async throws -> [String: Row] {
        try await test.database.perform { connection throws(PostgresError) in
            var found: [String: Row] = [:]
            var rows = try connection.run(Self.rowQuery)
            while rows.next() {
                let device: String = try rows.read()
                found[device] = Row(
                    state: try rows.read(), reason: try rows.read(), attempts: try rows.read(),
                    failures: try rows.read(), outcome: try rows.read(), status: try rows.read(),
                    traceLength: try rows.read(), wait: .milliseconds(try rows.read(Int64.self)),
                    hasReading: try rows.read())
            }
            return found
        }
    }

    private static let rowQuery = Query(
        name: "test_rows",
        sql: """
            SELECT k.device_ref, s.state, coalesce(s.quarantine_reason, ''), s.attempts::bigint, s.failures::bigint,
                coalesce(s.last_outcome, ''), coalesce(s.last_status, 0)::bigint,
                coalesce(char_length(s.last_trace_id), 0)::bigint,
                coalesce((extract(epoch FROM s.due_time - s.last_outcome_time) * 1000)::bigint, 0),
                r.metric_time IS NOT NULL
            FROM attestwatch.schedule s
            JOIN attestwatch.attested_key k USING (key_id)
            JOIN attestwatch.receipt r USING (key_id)
            """)
}

/// Members of a scenario: a fault for these devices.
func fault(_ members: String, for devices: [String]) -> String {
    let list = devices.map { "\"\($0)\"" }.joined(separator: ",")
    return "{\"match\": {\"device_refs\": [\(list)]}, \(members)}"
}

/// A scenario of these faults.
func scenario(_ faults: String...) -> String { "{\"faults\": [\(faults.joined(separator: ","))]}" }
