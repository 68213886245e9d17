import Foundation
import SimulatedDataServer
import Testing

/// A folder of its own for one test, removed with the value.
final class Scratch {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "simulator-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = "\(path)/\(name)"
        try Data(bytes).write(to: URL(filePath: file))
        return file
    }
}

/// What a tool wrote and how it ended.
struct ToolResult {
    let status: Int32
    let output: [UInt8]
    let errors: String

    var text: String { String(decoding: output, as: UTF8.self) }
}

/// Runs a program found on the PATH to its end.
func runTool(_ name: String, _ arguments: [String]) throws -> ToolResult {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [name] + arguments
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

/// `openssl cms -verify` of a receipt against an anchor, judged at a time; its output is the content.
func verifyWithOpenSSL(_ receipt: [UInt8], anchor: [UInt8], at time: SimulatedTime) throws -> ToolResult {
    let scratch = try Scratch()
    let arguments = [
        "cms", "-verify", "-inform", "DER", "-binary",
        "-in", try scratch.write("receipt.der", receipt),
        "-CAfile", try scratch.write("anchor.pem", Array(PEM.encode("CERTIFICATE", anchor).utf8)),
        "-attime", String(time.seconds),
    ]
    return try runTool("openssl", arguments)
}
