import AppAttest
import Foundation
import Postgres
import SimulatedDataServer
import TestSupport
import Testing

/// A back end beside attestwatch: a program of its own, as a login that has attestwatch_backend and a schema for tables
/// of its own.
enum BackEnd: String, CaseIterable, CustomTestStringConvertible {
    case plainSQL = "in plain SQL"
    case python = "in Python"

    var testDescription: String { rawValue }

    /// What it learned of a key.
    struct Answer: Decodable {
        let deviceRef: String
        let state: String
        let level: String
        let riskMetric: Int?
        let flagLevel: String?

        enum CodingKeys: String, CodingKey {
            case deviceRef = "device_ref"
            case state, level
            case riskMetric = "risk_metric"
            case flagLevel = "flag_level"
        }
    }

    private static let scripts = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Scripts").path

    /// Hands every key of the simulator's first population over, some after a transaction that is rolled back.
    func submit(_ simulator: Simulator, _ login: TestDatabase) throws {
        let output = try run(simulator, login, time: nil)
        switch self {
        case .plainSQL:
            let keys = simulator.minted.intake.count
            let states = ["pending", "not_on_record|0", "pending", "pending", "pending|\(keys)"]
            #expect(output.split(separator: "\n").map(String.init) == states)
        case .python:
            #expect(output == "")
        }
    }

    /// Asks what became of each, in their order.
    func ask(_ simulator: Simulator, _ login: TestDatabase, offset: Int64) throws -> [Answer] {
        let time = Date(timeIntervalSinceNow: TimeInterval(offset)).formatted(.iso8601)
        return try run(simulator, login, time: time).split(separator: "\n").map { line in
            try JSONDecoder().decode(Answer.self, from: Data(line.utf8))
        }
    }

    private func run(_ simulator: Simulator, _ login: TestDatabase, time: String?) throws -> String {
        let result: ToolResult
        switch self {
        case .plainSQL:
            let options = ["-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-v", "folder=\(simulator.directory)"]
            let asking = time.map { ["-v", "time=\($0)"] } ?? []
            result = try runTool(
                "psql", [login.conninfo] + options + asking + ["-f", "\(Self.scripts)/back_end.sql"])
        case .python:
            let words = time.map { ["ask", login.conninfo, $0] } ?? ["submit", login.conninfo]
            // Debian's own python3 has its packages.
            result = try runTool(
                "sh",
                ["-c", #"in=$1; shift; exec /usr/bin/python3 "$@" <"$in""#, "sh", simulator.intakeFile]
                    + ["\(Self.scripts)/back_end.py"] + words)
        }
        try #require(result.status == 0, "\(result.errors)")
        return result.text
    }
}

@Suite("Back ends that know attestwatch by its SQL functions alone", .ownThreads)
struct BackEndTests {
    private static let plan = PopulationPlan(
        devices: 60, heavyShare: 0.1, appID: Operator.appID, environment: .production)

    /// The clock when every first reading is due, and when every second one is.
    private static let firstReading: Int64 = 2 * 3_600
    private static let secondReading: Int64 = 8 * 86_400 + 2 * 3_600

    @Test(
        "from a submission in its own transaction to the device's level, with runs as a worker's login",
        arguments: BackEnd.allCases)
    func submissionToLevel(backEnd: BackEnd) async throws {
        try await TestDatabase.migrated { database in
            let simulator = try Simulator(Self.plan)
            try await database.login(.worker) { worker in
                try await database.login(.backend, withSchema: true) { login in
                    try await Self.play(backEnd, simulator, worker: worker, login: login)
                }
            }
        }
    }

    private static func play(
        _ backEnd: BackEnd, _ simulator: Simulator, worker: TestDatabase, login: TestDatabase
    ) async throws {
        let devices = simulator.minted.population.devices
        let person = try Operator(simulator, worker)
        try backEnd.submit(simulator, login)
        #expect(
            try backEnd.ask(simulator, login, offset: 0).allSatisfy {
                ($0.state, $0.level) == ("pending", "not_on_record")
            })
        #expect(try await login.texts("SELECT device_ref FROM enrolment").count >= devices.count)

        let taking = try person.run("refresh", "--json")
        #expect(taking.status == 0, "\(taking.errors)")
        let taken = try backEnd.ask(simulator, login, offset: 0)
        #expect(taken.count == devices.count)
        #expect(taken.allSatisfy { ($0.state, $0.level) == ("taken_in", "unknown") })

        let rounds: [(offset: Int64, levels: Set<String>)] = [
            (firstReading, ["clear"]), (secondReading, ["clear", "watch", "review", "high"]),
        ]
        for (offset, levels) in rounds {
            try simulator.moveClock(toOffsetSeconds: offset)
            let refresh = try person.run("refresh", "--json")
            #expect(refresh.status == 0, "\(refresh.errors)")
            #expect(try refresh.count("sent") == devices.count)
            let answers = try backEnd.ask(simulator, login, offset: offset)
            #expect(Set(answers.map(\.level)) == levels)
            let others = zip(answers, devices).filter { answer, device in
                let further = offset == secondReading ? device.furtherAttestations.map(\.count).reduce(0, +) : 0
                return answer.deviceRef != device.deviceRef || answer.state != "taken_in"
                    || answer.riskMetric != 1 + further || answer.level != answer.flagLevel ?? "clear"
            }
            #expect(others.isEmpty, "\(others.prefix(3)) of \(others.count)")
        }
    }
}
