import Foundation

/// Runs the `openssl` command and returns what it prints.
public func runOpenSSL(_ arguments: [String], input: [UInt8] = [], folder: String = "/") throws -> [UInt8] {
    let process = Process()
    let output = Pipe()
    let complaints = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.standardOutput = output
    process.standardError = complaints
    let handle = try process.runHoldingInput()
    try handle.write(contentsOf: Data(input))
    try handle.close()
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    let text = String(decoding: complaints.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
        throw TestServerError("openssl \(arguments[0]) failed: \(text)")
    }
    return Array(printed)
}
