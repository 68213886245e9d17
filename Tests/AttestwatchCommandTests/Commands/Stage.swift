import AppAttest
import AttestwatchCommand
import Foundation
import SimulatedDataServer
import System
import TestSupport
import Testing

/// A whole stage for one test: a population, a migrated database, a configuration, and a clock that the test moves.
///
/// The data server is a process of its own; it ends with the stage, or when this process ends.
final class Stage {
    static let appID = "A1B2C3D4E5.com.example.app"

    var attestwatch: CommandRunner
    let configuration: String
    let population: MintedPopulation
    private let clock: MovedClock
    private let server: Process?

    /// Mints a population, takes nothing in.
    ///
    /// - Parameters:
    ///   - scenario: the simulator's JSON; nil: nothing goes wrong. `noServer` stages have none and an URL where
    ///     nobody listens. `swapsServers`: the address of the development server is given for production.
    ///     `misplaced`: of so many devices the data server says that they are of the other environment, whose server is
    ///     configured too.
    ///   - options: further words of the simulator's command line.
    init(
        _ test: TestDatabase, devices: Int, keysPerDevice: Int = 1, heavyShare: Double = 0, quietShare: Double = 0,
        scenario: String? = nil, hasServer: Bool = true, refusesCredential: Bool = false,
        addsRefusedKey: Bool = false, swapsServers: Bool = false, misplaced: Int = 0, requestsPerSecond: Int = 1000,
        inFlight: Int = 100, cadence: String = "{}", options: [String] = []
    ) throws {
        attestwatch = try CommandRunner()
        let folder = attestwatch.folder.path
        clock = try MovedClock(file: attestwatch.file("clock", "0"))
        attestwatch.clock = clock
        try FileManager.default.createDirectory(atPath: "\(folder)/keys", withIntermediateDirectories: true)
        var pki = try SimulatedPKI(keys: KeyRing(directory: "\(folder)/keys"))
        population = try pki.mint(
            PopulationPlan(
                devices: devices, keysPerDevice: keysPerDevice, heavyShare: heavyShare, quietShare: quietShare,
                appID: Self.appID, environment: .production),
            now: SimulatedTime(milliseconds: clock.now().microseconds / 1000))
        var known = population.population
        for device in 0..<misplaced { known.devices[device].environment = .development }
        try known.write("\(folder)/population.jsonl")
        try population.writeIntake("\(folder)/intake.ndjson")
        try attestwatch.file("anchor.pem", PEM.encode("CERTIFICATE", pki.receiptRoot.certificate))
        try attestwatch.file("k.p8", TestKeys.p256)
        var ready = Ready(production: "https://127.0.0.1:9/v1/attestationData", tlsCAFile: "\(folder)/anchor.pem")
        if hasServer {
            if let scenario { try attestwatch.file("scenario.json", scenario) }
            (server, ready) = try Self.serve(folder, scenario: scenario != nil, options: options)
            if swapsServers { ready.production = ready.development }
        } else {
            server = nil
        }
        let refused = #"{id: "SIMULATED1", file: "k.p8"}"#
        let good = ready.signingKey ?? refused
        let unknown = #"{id: "UNKNOWN001", file: "k.p8"}"#
        let signingKey = refusesCredential ? refused : addsRefusedKey ? "\(unknown), \(good)" : good
        let other = "development: {url: \"\(ready.development)\", tls_ca_file: \"\(ready.tlsCAFile)\"},"
        configuration = try attestwatch.file(
            "a.json5",
            """
            {database: "\(test.conninfo)",
             apps: [{app_id: "\(Self.appID)", signing_keys: [\(signingKey)], cadence: \(cadence)}],
             data_servers: {\(misplaced > 0 ? other : "")
                            production: {url: "\(ready.production)", requests_per_second: \(requestsPerSecond),
                                         in_flight: \(inFlight), tls_ca_file: "\(ready.tlsCAFile)"}},
             trust_anchors: {receipts: "anchor.pem"}}
            """)
        attestwatch.environment["ATTESTWATCH_CONFIG"] = configuration
        attestwatch.environment["STATE_DIRECTORY"] = "\(folder)/state"
    }

    deinit {
        server?.terminate()
        server?.waitUntilExit()
        try? attestwatch.remove()
    }

    /// The file with the population's receipts.
    var intake: String { attestwatch.folder.appending(path: "intake.ndjson").path }

    /// Lets time pass for both the program and the data server.
    func wait(_ duration: Duration) throws { try clock.move(duration) }

    /// The requests that the data server has answered.
    func ledger() throws -> [LedgerLine] {
        try LedgerLine.read(attestwatch.folder.appending(path: "ledger.ndjson").path)
    }

    private static func serve(_ folder: String, scenario: Bool, options: [String]) throws -> (Process, Ready) {
        let binaries = try #require(ProcessInfo.processInfo.environment["ATTESTWATCH_BINARIES"])
        let process = Process()
        process.executableURL = URL(filePath: binaries).appending(path: "data-server-simulator")
        process.arguments =
            ["serve", "--directory", folder, "--population", "\(folder)/population.jsonl"]
            + ["--clock", "\(folder)/clock", "--stay-while-stdin-open"]
            + (scenario ? ["--scenario", "\(folder)/scenario.json"] : []) + options
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var line = Data()
        while !line.contains(UInt8(ascii: "\n")) {
            let piece = output.fileHandleForReading.availableData
            try #require(!piece.isEmpty, "the simulator ended before it was ready")
            line += piece
        }
        return (process, try JSONDecoder().decode(Ready.self, from: line))
    }

    /// The line that the simulator prints when it accepts connections.
    private struct Ready: Decodable {
        struct Key: Decodable {
            let id: String
            let file: String
        }

        var production: String
        var development: String
        var tlsCAFile: String
        var keys: [Key] = []

        var signingKey: String? { keys.first.map { "{id: \"\($0.id)\", file: \"\($0.file)\"}" } }

        init(production: String, tlsCAFile: String) {
            self.production = production
            self.development = production
            self.tlsCAFile = tlsCAFile
        }

        enum CodingKeys: String, CodingKey {
            case production, development
            case tlsCAFile = "tls_ca_file"
            case keys = "signing_keys"
        }
    }
}

/// The real time and an offset that stands in a file, for the simulator to follow.
private struct MovedClock: WallClock {
    let file: String

    func now() -> Instant {
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? "0"
        return SystemClock().now() + .seconds(Int64(text) ?? 0)
    }

    func move(_ duration: Duration) throws {
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let offset = (Int64(text) ?? 0) + duration.components.seconds
        try String(offset).write(toFile: file, atomically: true, encoding: .utf8)
    }
}

extension Stage {
    /// Puts another data server into the configuration of a stage that has none, and other authorities into any.
    func ask(_ url: String = "https://127.0.0.1:9/v1/attestationData", trusting tlsCAFile: String? = nil) throws {
        var settings = try String(contentsOfFile: configuration, encoding: .utf8)
        settings.replace("https://127.0.0.1:9/v1/attestationData", with: url)
        if let tlsCAFile {
            settings.replace(/tls_ca_file: "[^"]*"/, with: "tls_ca_file: \"\(tlsCAFile)\"")
        }
        try attestwatch.file("a.json5", settings)
    }

    /// Starts `attestwatch-timelapse` as a process of its own, on this stage's clock and configuration; `words` are the
    /// command that starts it in its place, if any.
    func start(
        _ arguments: [String], under words: [String] = [], environment more: [String: String] = [:], output: Pipe,
        errors: Pipe
    ) throws -> Process {
        let binaries = try #require(ProcessInfo.processInfo.environment["ATTESTWATCH_BINARIES"])
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words + ["\(binaries)/attestwatch-timelapse"] + arguments
        var environment = ProcessInfo.processInfo.environment
        environment["ATTESTWATCH_CONFIG"] = configuration
        environment["STATE_DIRECTORY"] = attestwatch.environment["STATE_DIRECTORY"]
        environment["ATTESTWATCH_TIMELAPSE_CLOCK"] = attestwatch.folder.appending(path: "clock").path
        environment.merge(more) { _, new in new }
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        return process
    }
}
