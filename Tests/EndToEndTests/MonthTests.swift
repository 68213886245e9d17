import Foundation
import SimulatedDataServer
import TestSupport
import Testing

@Suite("A month", .serialized, .ownThreads)
struct MonthTests {
    /// How many devices the month is played with; fewer are quicker to try.
    private static let devices =
        ProcessInfo.processInfo.environment["ATTESTWATCH_MONTH_DEVICES"].flatMap(Int.init) ?? 20_000
    private static let seed: UInt64 = 2026
    private static let hoursBetweenRuns: Int64 = 6

    @Test("ends with no receipt lost, every busy device flagged and no other, and the calls that plan said")
    func month() async throws {
        try await TestDatabase.migrated { database in
            let month = try SimulatedMonth(devices: Self.devices, seed: Self.seed)
            let person = try Operator(month.simulator, database, pace: 2_000)
            for file in month.intakeFiles { #expect(try person.run("ingest", file).status == 0) }
            let planned = try #require(try person.run("plan", "--json").count("calls_a_day"))

            var counts: [String: Int] = [:]
            let runs = 30 * 24 / Self.hoursBetweenRuns
            for run in 1...runs {
                try month.simulator.moveClock(toOffsetSeconds: run * Self.hoursBetweenRuns * 3_600)
                let ending = try person.run("refresh", "--json")
                try #require(ending.status == 0, "run \(run): \(ending.errors)")
                for name in ["sent", "replaced", "quiet", "lost", "retired", "failed", "early", "quarantined"] {
                    counts[name, default: 0] += try ending.count(name) ?? 0
                }
            }

            let keys = try await database.number("SELECT count(*) FROM attestwatch.attested_key")
            let sent = counts["sent"] ?? 0
            print(
                "MonthTests: seed \(Self.seed), \(Self.devices) devices with \(keys) keys: "
                    + "\(Double(sent) / 30) calls a day, \(Double(sent) / 30 / Double(keys)) a key, "
                    + "\(planned) a day planned; \(counts)")
            #expect(keys == month.keyCount)
            #expect(try month.simulator.ledger().count == sent)
            #expect(abs(Double(sent) / 30 / Double(planned) - 1) < 0.1)
            for name in ["lost", "failed", "early", "quarantined"] { #expect(counts[name] == 0, "\(name)") }

            let flagged = Set(try await database.texts("SELECT DISTINCT subject FROM attestwatch.flag"))
            #expect(flagged.subtracting(month.busy).isEmpty, "flagged, but not busy")
            #expect(month.busy.subtracting(flagged).isEmpty, "busy, but not flagged")
            #expect(month.busy.count > 5 && month.busy.count < Self.devices / 10)

            let states = try await database.texts(
                "SELECT k.subject FROM attestwatch.attested_key k JOIN attestwatch.schedule s USING (key_id) "
                    + "WHERE s.state IN ('quiet', 'retired')")
            #expect(month.quiet.isSubset(of: states))
            let strays = Set(states).intersection(month.lively)
            #expect(strays.isEmpty, "quiet, though the data server has data: \(strays.prefix(3))")
        }
    }
}

/// Devices of all kinds, and what they will have done by the end of a month: most attest once, some are heavy from the
/// start, some were left alone 25 days before, some become busy later, also among the quiet, and some have three keys.
private struct SimulatedMonth {
    let simulator: Simulator
    /// For `ingest`.
    let intakeFiles: [String]
    let keyCount: Int
    /// Subjects whose metric is above the lowest threshold for so long that a reading must see it.
    private(set) var busy: Set<String> = []
    /// Subjects of which the data server has nothing on each of the last days, and had nothing when last asked.
    private(set) var quiet: Set<String> = []
    /// Subjects of which it has something on each of the last days, and had something when last asked.
    private(set) var lively: Set<String> = []

    /// RiskPolicy.standard, the lowest level.
    private static let raise = 4
    private static let dayMilliseconds: Int64 = 86_400_000
    /// So few that a receipt that was forgotten expires within the month.
    private static let receiptDays = 20

    init(devices: Int, seed: UInt64) throws {
        let plan = PopulationPlan(
            devices: devices, heavyShare: 0.005, quietShare: 0.1, appID: Operator.appID, environment: .production,
            seed: seed)
        let many = PopulationPlan(
            devices: max(50, devices / 50), keysPerDevice: 3, heavyShare: 0.02, appID: Operator.appID,
            environment: .development, seed: seed + 1)
        let later = Self.later(devices)
        simulator = try Simulator(plan, further: [many], scenario: Self.scenario(later))
        let further = "\(simulator.directory)/intake-2.ndjson"
        for minted in simulator.furtherMinted { try minted.writeIntake(further) }
        intakeFiles = [simulator.intakeFile, further]
        keyCount = devices + many.devices * many.keysPerDevice
        for population in [simulator.minted.population] + simulator.furtherMinted.map(\.population) {
            for device in population.devices {
                judge(device, start: population.mintedTime, later: device.environment == .production ? later : [:])
            }
        }
    }

    /// Attestations to come, by device: (day, count). Three in a thousand: two that attested
    /// once, the second of them just as often as makes it busy, and a quiet one.
    private static func later(_ devices: Int) -> [String: (day: Double, count: Int)] {
        var later: [String: (day: Double, count: Int)] = [:]
        for (place, first) in stride(from: 0, to: devices, by: 1_000).enumerated() {
            for (offset, isQuiet) in [(1, false), (5, true), (7, false)] {
                let digits = String(first + offset)
                let name = "device-" + String(repeating: "0", count: 6 - digits.count) + digits
                later[name] = (isQuiet ? 10 : 8 + Double(place % 5), isQuiet || offset == 1 ? 6 + place : 3)
            }
        }
        return later
    }

    private static func scenario(_ later: [String: (day: Double, count: Int)]) -> String {
        let entries = later.sorted { $0.key < $1.key }.map { name, attestations in
            #"{"device_ref": "\#(name)", "at_day": \#(attestations.day), "count": \#(attestations.count)}"#
        }
        return #"{"attestations": [\#(entries.joined(separator: ", "))], "receipt_days": \#(receiptDays)}"#
    }

    private mutating func judge(
        _ device: Population.Device, start: SimulatedTime, later: [String: (day: Double, count: Int)]
    ) {
        // Times in days from the start.
        func day(_ text: String) -> Double {
            let time = SimulatedTime(text: text)?.milliseconds ?? start.milliseconds
            return Double(time - start.milliseconds) / Double(Self.dayMilliseconds)
        }
        var attestations = device.keys.map { (day: day($0.attestedTime), count: 1) }
        attestations += device.furtherAttestations.map { (day: day($0.time), count: $0.count) }
        if let more = later[device.deviceRef] { attestations.append(more) }
        func metric(_ at: Double) -> Int {
            attestations.filter { $0.day > at - 30 && $0.day <= at }.reduce(0) { $0 + $1.count }
        }
        let subject = "device:\(device.appID) \(device.environment.rawValue) \(device.deviceRef)"
        let days = stride(from: 0.0, through: 30, by: 0.25).map(metric)
        // A device is read every week, and one that is quiet every two.
        if days.max() ?? 0 >= Self.raise { busy.insert(subject) }
        if days.suffix(15 * 4).allSatisfy({ $0 == 0 }) { quiet.insert(subject) }
        if days.suffix(15 * 4).allSatisfy({ $0 > 0 }) { lively.insert(subject) }
    }
}
