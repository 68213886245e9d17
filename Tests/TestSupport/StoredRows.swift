import Postgres

/// What the database holds of the fleet, as plain values to compare with the simulator's ledger.
package struct StoredRows {
    /// Key identifier (base64) → SHA-256 (hexadecimal) of the receipt that is stored.
    package var receipts: [String: String] = [:]
    /// The same of the receipt that it replaced, where there is one.
    package var replaced: [String: String] = [:]
    /// Key identifier → `active`, `quiet` and so on.
    package var states: [String: String] = [:]
    /// Key identifier → creation time of the receipt that is stored, in milliseconds since 1970.
    package var creations: [String: Int64] = [:]
    /// Attempts charged, over all keys.
    package var charged = 0
    /// Key identifier and metric of every reading.
    package var readings: [Reading] = []

    /// Device → every flag it ever had, open or closed.
    package var flags: [String: [Flag]] = [:]

    /// A flag of a device.
    package struct Flag: Hashable {
        /// Whether it is open.
        package let isOpen: Bool
        /// Its events in their order: kind, level before, level behind.
        package let events: [String]
    }

    /// A reading of a key.
    package struct Reading: Hashable {
        /// Base64.
        package let keyID: String
        /// When its receipt was created, since 1970.
        package let creationMilliseconds: Int64
        /// The metric.
        package let riskMetric: Int

        /// Puts the parts together.
        package init(keyID: String, creationMilliseconds: Int64, riskMetric: Int) {
            self.keyID = keyID
            self.creationMilliseconds = creationMilliseconds
            self.riskMetric = riskMetric
        }
    }

    /// Reads all of it.
    package static func read(_ test: TestDatabase) async throws -> StoredRows {
        try await test.database.perform { connection throws(PostgresError) in
            var stored = StoredRows()
            var rows = try connection.run(Query(name: "test_stored_rows", sql: stateSQL))
            while rows.next() {
                let keyID: String = try rows.read()
                stored.receipts[keyID] = try rows.read(String.self)
                stored.replaced[keyID] = try rows.readOptional(String.self)
                stored.states[keyID] = try rows.read(String.self)
                stored.charged += try rows.read(Int.self)
                stored.creations[keyID] = try rows.read(Int64.self)
            }
            var readings = try connection.run(Query(name: "test_readings", sql: readingSQL))
            while readings.next() {
                stored.readings.append(
                    Reading(
                        keyID: try readings.read(), creationMilliseconds: try readings.read(),
                        riskMetric: try readings.read()))
            }
            var flags = try connection.run(Query(name: "test_flags", sql: flagSQL))
            while flags.next() {
                let device: String = try flags.read()
                let isOpen: Bool = try flags.read()
                let events = try flags.readOptional(String.self) ?? ""
                stored.flags[device, default: []].append(
                    Flag(isOpen: isOpen, events: events.split(separator: ",").map(String.init)))
            }
            return stored
        }
    }

    private static let stateSQL = """
        SELECT encode(r.key_id, 'base64'), encode(sha256(r.bytes), 'hex'), encode(sha256(r.replaced_bytes), 'hex'),
               s.state, s.attempts::bigint, (extract(epoch FROM r.creation_time) * 1000)::bigint
        FROM attestwatch.receipt r JOIN attestwatch.schedule s USING (key_id)
        """

    private static let flagSQL = """
        SELECT coalesce((SELECT min(k.device_ref) FROM attestwatch.attested_key k WHERE k.subject = f.subject), ''),
               f.closed_time IS NULL,
               (SELECT string_agg(concat_ws(' ', e.kind, e.from_level, e.to_level), ',' ORDER BY e.event_id)
                FROM attestwatch.flag_event e WHERE e.flag_id = f.flag_id)
        FROM attestwatch.flag f
        """

    private static let readingSQL = """
        SELECT encode(key_id, 'base64'), (extract(epoch FROM creation_time) * 1000)::bigint, risk_metric::bigint
        FROM attestwatch.metric_reading
        """
}
