import AppAttest
import AttestwatchCommand
import Foundation
import System

/// A clock that stands still.
struct StillClock: WallClock {
    let time: Instant

    func now() -> Instant { time }
}

/// Runs the program in this process with files for its streams.
struct CommandRunner {
    /// A folder of its own for the files of a test; the test removes it.
    let folder: URL
    var environment: [String: String] = [:]
    var clock: any WallClock = StillClock(time: Instant(seconds: 1_790_000_000))
    /// Begins to take requests to end, and gives what tells whether one has come.
    var takeStopRequests: @Sendable () -> @Sendable () -> Bool = { { false } }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "attestwatch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    struct Result {
        let code: ExitCode
        let output: String
        let errors: String
    }

    /// Runs one command line.
    func callAsFunction(_ arguments: String..., input: String = "") async throws -> Result {
        try await run(arguments, input: input)
    }

    func run(_ arguments: [String], input: String = "") async throws -> Result {
        let inputFile = try file("input", input)
        let run = UUID().uuidString
        let outputFile = try file("output-\(run)", "")
        let errorsFile = try file("errors-\(run)", "")
        let reading = try OpenFile.reading(inputFile)
        let output = try OpenFile.appending(outputFile)
        let errors = try OpenFile.appending(errorsFile)
        let context = CommandContext(
            environment: environment, clock: clock, input: reading.descriptor, output: output.descriptor,
            errors: errors.descriptor, takeStopRequests: takeStopRequests)
        let code = await AttestwatchCommand.run(arguments, context)
        return Result(
            code: code, output: try String(contentsOfFile: outputFile, encoding: .utf8),
            errors: try String(contentsOfFile: errorsFile, encoding: .utf8))
    }

    /// Writes a file into the folder with mode 0600 and gives its path.
    @discardableResult
    func file(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        let path = folder.appending(path: name).path
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    /// Removes the folder.
    func remove() throws {
        try FileManager.default.removeItem(at: folder)
    }
}
