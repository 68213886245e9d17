import Foundation

/// What a tool wrote and how it ended.
package struct ToolResult {
    /// The exit code, or the signal.
    package let status: Int32
    /// Standard output.
    package let output: [UInt8]
    /// Standard error.
    package let errors: String

    /// Standard output as text.
    package var text: String { String(decoding: output, as: UTF8.self) }
}

/// Runs a program found on the PATH, or named by its path, to its end; without an `environment` it has this process's.
package func runTool(_ name: String, _ arguments: [String], environment: [String: String]? = nil) throws -> ToolResult {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [name] + arguments
    if let environment { process.environment = environment }
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    let problems = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return ToolResult(
        status: process.terminationStatus, output: [UInt8](bytes), errors: String(decoding: problems, as: UTF8.self))
}
