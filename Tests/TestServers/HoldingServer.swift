import Foundation
import Glibc

/// A TLS server on a free loopback port that tells of each request, and answers it with 404 when it is told to, so that
/// a test can look around while a request is on the wire. It speaks HTTP/1.1: one connection a request.
public final class HoldingServer {
    private let process = Process()
    private let input: FileHandle
    private let output = Pipe()
    private var unread: [UInt8] = []
    /// Lines that nobody has waited for yet.
    private var told: [String: Int] = [:]
    /// The port it listens on.
    public private(set) var port = 0

    /// Starts it with this certificate.
    public init(_ identity: TestIdentity) throws {
        let scripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Scripts")
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", scripts.appendingPathComponent("holding.py").path, identity.folder]
        process.standardOutput = output
        input = try process.runHoldingInput()
        guard let port = Int(try nextLine()) else { throw TestServerError("holding.py did not start") }
        self.port = port
    }

    deinit {
        try? input.close()
        process.waitUntilExit()
    }

    /// Waits until so many more requests have come, whole, for a minute each at most.
    public func waitForRequests(_ count: Int) throws {
        try wait(for: "request", count)
    }

    /// Waits until the client's kernel has so many more answers, for a minute each at most.
    public func waitForAnswers(_ count: Int) throws {
        try wait(for: "answered", count)
    }

    /// Lets so many requests be answered, of those that wait and those to come.
    public func answer(_ count: Int) throws {
        try input.write(contentsOf: Data("\(count)\n".utf8))
    }

    private func wait(for word: String, _ count: Int) throws {
        while told[word, default: 0] < count { told[try nextLine(), default: 0] += 1 }
        told[word, default: 0] -= count
    }

    private func nextLine() throws -> String {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            var wanted = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&wanted, 1, 60_000) == 1 else { throw TestServerError("nothing came in a minute") }
            let piece = output.fileHandleForReading.availableData
            if piece.isEmpty { throw TestServerError("holding.py has ended") }
            unread += piece
        }
    }
}
