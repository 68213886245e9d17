import Foundation
import TestSupport
import Testing

@Suite("The executables")
struct ExecutableTests {
    private func run(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws -> ToolResult {
        try runTool(productPath(name), arguments, environment: environment)
    }

    @Test("attestwatch works with an empty environment and ends with the exit code")
    func attestwatch() throws {
        #expect(try run("attestwatch", ["--version"]).text.hasPrefix("attestwatch "))
        let wrong = try run("attestwatch", ["refesh"])
        #expect(wrong.status == 64)
        #expect(
            wrong.errors == "attestwatch: error: expected a subcommand, found 'refesh'\nhint: did you mean 'refresh'?\n"
        )
        let missing = try run("attestwatch", ["status"], environment: ["ATTESTWATCH_CONFIG": "/nowhere/a.json5"])
        #expect(missing.status == 78)
        #expect(missing.errors.hasPrefix("attestwatch: error: cannot read the configuration /nowhere/a.json5: "))
    }

    @Test("a reader that has gone ends it with 1 and without a word, not by a signal")
    func brokenPipe() throws {
        let (output, errors) = (Pipe(), Pipe())
        try output.fileHandleForReading.close()
        let process = Process()
        process.executableURL = URL(filePath: productPath("attestwatch"))
        process.arguments = ["config", "example"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let problems = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 1)
        #expect(problems.isEmpty)
    }

    @Test("attestwatch has no clock but the machine's; attestwatch-timelapse wants its file")
    func timelapse() throws {
        let missing = try run("attestwatch-timelapse", ["--version"])
        #expect(missing.status == 78)
        #expect(missing.text.contains("ATTESTWATCH_TIMELAPSE_CLOCK"))
        let attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        let clock = try attestwatch.file("clock", "-1.5\n")
        let moved = try run(
            "attestwatch-timelapse", ["--version"], environment: ["ATTESTWATCH_TIMELAPSE_CLOCK": clock])
        #expect(moved.status == 0)
    }
}
