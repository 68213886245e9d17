import AppAttest
import SimulatedDataServer

/// Holds a database against the ledger of the simulator that it was refreshed from, after the last run has ended.
package struct FleetComparison {
    /// What does not fit, in words; empty when nothing was lost.
    package private(set) var problems: [String] = []
    /// How many receipts were handed out.
    package let handedOut: Int
    /// How many devices have been flagged.
    package let flagged: Int

    // The program's own thresholds of the lowest level (README.md), by the largest metric of 30 days.
    private static let raise = 4
    private static let clear = 2
    private static let window: Int64 = 30 * 86_400_000

    /// Compares every key of the simulator's first population:
    /// - the receipt handed out last is the one that is stored, so each earlier one is superseded, and none was lost on
    ///   its way; a key that nothing was handed out for has the receipt that it was taken in with;
    /// - no key has gone or come, is put aside, or was charged for anything;
    /// - a reading is there once, and was handed out; that of the stored receipt is there;
    /// - a heavy device whose reading is stored has been flagged once and told of once, also of every later change of
    ///   its level, and its flag is open for as long as its readings say so; no other device was ever flagged.
    package init(_ simulator: Simulator, _ database: TestDatabase) async throws {
        let stored = try await StoredRows.read(database)
        let lines = try simulator.ledger().filter { $0.answeredDigest != nil }
        handedOut = lines.count
        flagged = stored.flags.count
        let keys = simulator.minted.population.devices.flatMap(\.keys)
        let answers = Dictionary(grouping: lines) { $0.keyID ?? "" }
        for key in keys {
            let keyID = key.keyID.base64EncodedString()
            let last = answers[keyID]?.max { ($0.creationTime ?? "", $0.number) < ($1.creationTime ?? "", $1.number) }
            let expected = last?.answeredDigest ?? key.receiptDigest
            if stored.receipts[keyID] != expected {
                problems.append("\(keyID): request \(last?.number ?? 0) handed out a receipt that is not stored")
            }
        }
        if stored.receipts.count != keys.count {
            problems.append("expected \(keys.count) keys, found \(stored.receipts.count)")
        }
        if stored.charged != 0 { problems.append("\(stored.charged) attempts are charged") }
        for (keyID, state) in stored.states where state != "active" { problems.append("\(keyID) is \(state)") }
        try compareReadings(stored, lines)
        compareFlags(stored, simulator.minted.population.devices)
    }

    private mutating func compareFlags(_ stored: StoredRows, _ devices: [Population.Device]) {
        let readings = Dictionary(grouping: stored.readings, by: \.keyID)
        for device in devices {
            let own = device.keys.flatMap { readings[$0.keyID.base64EncodedString()] ?? [] }
            let flags = stored.flags[device.deviceRef] ?? []
            let isHeavy = !device.furtherAttestations.isEmpty
            let isDue = isHeavy && own.contains { $0.riskMetric >= Self.raise }
            if flags.count != (isDue ? 1 : 0) {
                problems.append("\(device.deviceRef), \(isHeavy ? "" : "not ")heavy, has \(flags.count) flags")
            }
            guard let flag = flags.first, let newest = own.map(\.creationMilliseconds).max() else { continue }
            // Attestations fall out of the 30 days and none is added, so nothing ever happens to a flag twice.
            if flag.events.count(where: { $0.hasPrefix("opened ") }) != 1
                || Set(flag.events).count != flag.events.count
            {
                problems.append("\(device.deviceRef) was told of twice: \(flag.events)")
            }
            let recent = own.filter { $0.creationMilliseconds > newest - Self.window }.map(\.riskMetric).max() ?? 0
            if flag.isOpen != (recent > Self.clear) {
                problems.append("\(device.deviceRef) was last read with \(recent), open: \(flag.isOpen)")
            }
        }
    }

    private mutating func compareReadings(_ stored: StoredRows, _ lines: [LedgerLine]) throws {
        let handedOut = Set(
            try lines.map { line in
                StoredRows.Reading(
                    keyID: line.keyID ?? "",
                    creationMilliseconds: try Instant(rfc3339: line.creationTime ?? "").microseconds / 1_000,
                    riskMetric: line.riskMetric ?? 0)
            })
        let readings = Set(stored.readings)
        if readings.count != stored.readings.count {
            problems.append("\(stored.readings.count - readings.count) readings are there twice")
        }
        for reading in readings.subtracting(handedOut) { problems.append("nobody handed out \(reading)") }
        for reading in handedOut.subtracting(readings)
        where stored.creations[reading.keyID] == reading.creationMilliseconds {
            problems.append("the stored receipt's \(reading) is missing")
        }
    }
}
