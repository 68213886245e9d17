import Foundation
import SimulatedDataServer

/// A running `data-server-simulator` with a population and a folder of its own; both are gone when the value is.
///
/// It also ends when the test process dies, because its standard input ends then.
package final class Simulator {
    /// Its folder; tests may put files of their own there.
    package let directory: String
    /// How to reach it: URLs, files of roots, signing keys.
    package let ready: ServedSimulator.Ready
    /// What it knows, and what the back end knows of that.
    package let minted: MintedPopulation
    /// The same of the further populations.
    package let furtherMinted: [MintedPopulation]

    private let process: Process
    private let input = Pipe()
    private let output = Pipe()

    /// The lines for `attestwatch ingest`.
    package var intakeFile: String { "\(directory)/intake.ndjson" }
    /// The file that moves its clock, and that of `attestwatch-timelapse`.
    package var clockFile: String { "\(directory)/clock" }

    /// Mints populations, starts the simulator on it and waits until it accepts connections.
    ///
    /// `scenario` is the text of a scenario file, `options` are further words of its command line.
    package init(
        _ plan: PopulationPlan, further: [PopulationPlan] = [], scenario: String? = nil, options: [String] = []
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "attestwatch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        directory = folder.path
        process = Process()
        do {
            var pki = try SimulatorFiles(directory: folder.path).pki()
            try Data("0\n".utf8).write(to: folder.appending(path: "clock"))
            var clock = try SimulatedClock(file: nil)
            minted = try pki.mint(plan, now: clock.now())
            try minted.population.write("\(folder.path)/population.jsonl")
            try minted.writeIntake("\(folder.path)/intake.ndjson")
            var words = [
                "serve", "--directory", folder.path, "--population", "\(folder.path)/population.jsonl",
                "--clock", "\(folder.path)/clock", "--stay-while-stdin-open",
            ]
            furtherMinted = try further.map { try pki.mint($0, now: clock.now()) }
            for (index, other) in furtherMinted.enumerated() {
                try other.population.write("\(folder.path)/population-\(index + 2).jsonl")
                words += ["--population", "\(folder.path)/population-\(index + 2).jsonl"]
            }
            if let scenario {
                try Data(scenario.utf8).write(to: folder.appending(path: "scenario.json"))
                words += ["--scenario", "\(folder.path)/scenario.json"]
            }
            ready = try Self.start(process, input, output, words + options)
        } catch {
            try? input.fileHandleForWriting.close()
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    /// Starts again on the folder of one that was stopped and must outlive this one.
    package init(continuing other: Simulator) throws {
        directory = other.directory
        minted = other.minted
        furtherMinted = []
        process = Process()
        ready = try Self.start(
            process, input, output,
            [
                "serve", "--directory", directory, "--population", "\(directory)/population.jsonl",
                "--clock", "\(directory)/clock", "--stay-while-stdin-open",
            ])
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// The process of the simulator itself; nginx is its child.
    package var processIdentifier: Int32 { process.processIdentifier }

    /// Every request so far.
    package func ledger() throws -> [LedgerLine] { try LedgerLine.read(ready.ledgerFile) }

    /// Moves the clock to the real time and this offset.
    package func moveClock(toOffsetSeconds seconds: Int64) throws {
        try Data("\(seconds)\n".utf8).write(to: URL(filePath: clockFile), options: .atomic)
    }

    /// Ends the simulator and nginx and waits until they have ended; the folder stays until the value goes.
    ///
    /// nginx holds the simulator's standard output too, so its end is the end of both.
    package func stop() {
        try? input.fileHandleForWriting.close()
        while let piece = try? output.fileHandleForReading.read(upToCount: 4096), !piece.isEmpty {}
        if process.isRunning { process.waitUntilExit() }
    }

    private static func start(
        _ process: Process, _ input: Pipe, _ output: Pipe, _ arguments: [String]
    ) throws -> ServedSimulator.Ready {
        process.executableURL = URL(filePath: productPath("data-server-simulator"))
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var line = Data()
        while !line.contains(UInt8(ascii: "\n")) {
            let piece = output.fileHandleForReading.availableData
            if piece.isEmpty { throw SimulatorDidNotStart() }
            line += piece
        }
        return try JSONDecoder().decode(ServedSimulator.Ready.self, from: line)
    }
}

/// The simulator ended before it was ready; it says why on standard error.
package struct SimulatorDidNotStart: Error {}

/// Where an executable of the package is: beside the test bundle, or in the folder that `ATTESTWATCH_BINARIES` names.
package func productPath(_ name: String) -> String {
    if let folder = ProcessInfo.processInfo.environment["ATTESTWATCH_BINARIES"] { return "\(folder)/\(name)" }
    let bundle = URL(filePath: CommandLine.arguments[0])
    return bundle.deletingLastPathComponent().appending(path: name).path
}
