import Foundation

/// A server on a free loopback port that runs while a test's closure does.
///
/// It also ends when the test process is killed, since its standard input ends then.
public struct LoopbackServer {
    /// The port it listens on, ready to be connected to.
    public let port: Int

    /// Where it answers.
    public func url(_ path: String = "/") -> String {
        "https://127.0.0.1:\(port)\(path)"
    }

    /// nginx with TLS and HTTP/2 in front of an inner server; `inner` and `outer` are what stands inside each one's
    /// `server {}`.
    public static func withNginx<Result>(
        _ identity: TestIdentity, inner: String = "", outer: String = "",
        _ body: (LoopbackServer) async throws -> Result
    ) async throws -> Result {
        try inner.write(toFile: "\(identity.folder)/inner.conf", atomically: true, encoding: .utf8)
        try outer.write(toFile: "\(identity.folder)/outer.conf", atomically: true, encoding: .utf8)
        return try await run("nginx.py", [identity.folder], body)
    }

    /// A TLS server that misbehaves; `Scripts/faults.py` says how.
    public static func withFault<Result>(
        _ fault: String, count: Int? = nil, _ identity: TestIdentity,
        _ body: (LoopbackServer) async throws -> Result
    ) async throws -> Result {
        try await run("faults.py", [identity.folder, fault] + (count.map { ["\($0)"] } ?? []), body)
    }

    private static func run<Result>(
        _ script: String, _ arguments: [String], _ body: (LoopbackServer) async throws -> Result
    ) async throws -> Result {
        let process = Process()
        let output = Pipe()
        let scripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Scripts")
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", scripts.appendingPathComponent(script).path] + arguments
        process.standardOutput = output
        let input = try process.runHoldingInput()
        defer {
            process.terminate()
            try? input.close()
            process.waitUntilExit()
        }
        // One line with the port, in one write.
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw TestServerError("\(script) did not start: expected a port, found \"\(line)\"")
        }
        return try await body(LoopbackServer(port: port))
    }
}

/// What kept a test from being set up.
public struct TestServerError: Error, CustomStringConvertible {
    private let what: String

    /// Says it in words.
    public init(_ what: String) {
        self.what = what
    }

    public var description: String { what }
}
