import Foundation
import Testing

@Suite("The executables")
struct ExecutableTests {
    struct Ending {
        let code: Int32
        let output: String
        let errors: String
    }

    private func start(
        _ name: String, _ arguments: [String], environment: [String: String], output: Any, errors: Pipe
    ) throws -> Process {
        let binaries = try #require(ProcessInfo.processInfo.environment["ATTESTWATCH_BINARIES"])
        let process = Process()
        process.executableURL = URL(filePath: binaries).appending(path: name)
        process.arguments = arguments
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        return process
    }

    private func run(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws -> Ending {
        let (output, errors) = (Pipe(), Pipe())
        let process = try start(name, arguments, environment: environment, output: output, errors: errors)
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        let problems = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Ending(
            code: process.terminationStatus, output: String(decoding: bytes, as: UTF8.self),
            errors: String(decoding: problems, as: UTF8.self))
    }

    @Test("attestwatch works with an empty environment and ends with the exit code")
    func attestwatch() throws {
        #expect(try run("attestwatch", ["--version"]).output.hasPrefix("attestwatch "))
        let wrong = try run("attestwatch", ["refesh"])
        #expect(wrong.code == 64)
        #expect(
            wrong.errors == "attestwatch: error: expected a subcommand, found 'refesh'\nhint: did you mean 'refresh'?\n"
        )
        let missing = try run("attestwatch", ["status"], environment: ["ATTESTWATCH_CONFIG": "/nowhere/a.json5"])
        #expect(missing.code == 78)
        #expect(missing.errors.hasPrefix("attestwatch: error: cannot read the configuration /nowhere/a.json5: "))
    }

    @Test("a reader that has gone ends it with 1 and without a word, not by a signal")
    func brokenPipe() throws {
        let (output, errors) = (Pipe(), Pipe())
        try output.fileHandleForReading.close()
        let process = try start(
            "attestwatch", ["config", "example"], environment: [:], output: output, errors: errors)
        let problems = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 1)
        #expect(problems.isEmpty)
    }

    @Test("attestwatch has no clock but the machine's; attestwatch-timelapse wants its file")
    func timelapse() throws {
        let missing = try run("attestwatch-timelapse", ["--version"])
        #expect(missing.code == 78)
        #expect(missing.output.contains("ATTESTWATCH_TIMELAPSE_CLOCK"))
        let attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        let clock = try attestwatch.file("clock", "-1.5\n")
        let moved = try run(
            "attestwatch-timelapse", ["--version"], environment: ["ATTESTWATCH_TIMELAPSE_CLOCK": clock])
        #expect(moved.code == 0)
    }
}
