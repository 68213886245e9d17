import Foundation

/// A command of the program in a process of its own, which a test may stop, let go on, and kill.
///
/// It is killed when the value goes. What it writes stands in files, so nobody has to read along.
package final class Worker {
    /// How it ended.
    package struct Ending {
        /// The exit code; nil when a signal ended it.
        package let code: Int32?
        /// Standard output.
        package let output: String
        /// Standard error.
        package let errors: String

        /// A count of the summary that `--json` prints; nil without one.
        package func count(_ name: String) throws -> Int? {
            guard !output.isEmpty else { return nil }
            return (try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])?[name] as? Int
        }
    }

    private let process = Process()
    private let files: String
    private let ended: AsyncStream<Void>

    /// Starts a program; `files` is the beginning of the paths of what it writes.
    init(_ words: [String], environment: [String: String], files: String) throws {
        self.files = files
        process.executableURL = URL(filePath: words[0])
        process.arguments = Array(words.dropFirst())
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        for suffix in ["out", "err"] { try Data().write(to: URL(filePath: "\(files).\(suffix)")) }
        process.standardOutput = FileHandle(forWritingAtPath: "\(files).out")
        process.standardError = FileHandle(forWritingAtPath: "\(files).err")
        let (stream, end) = AsyncStream<Void>.makeStream()
        ended = stream
        process.terminationHandler = { _ in end.finish() }
        try process.run()
    }

    deinit {
        if process.isRunning { send(SIGKILL) }
    }

    /// Whether it has not ended, be it stopped or not.
    package var isRunning: Bool { process.isRunning }

    /// Sends a signal: SIGKILL, SIGSTOP, SIGCONT, SIGTERM, SIGINT.
    package func send(_ signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    /// Sends a signal and looks until it has been taken, so that another one counts for itself; false when it never is.
    package func sendAndSee(_ signal: Int32) throws -> Bool {
        send(signal)
        for _ in 0..<100_000 {
            // proc(5): what is pending for the process as a whole.
            let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
            if status.contains(/ShdPnd:\t0+\n/) { return true }
            sched_yield()
        }
        return false
    }

    /// What it has written to standard error so far.
    package var errors: String {
        get throws { try String(contentsOfFile: "\(files).err", encoding: .utf8) }
    }

    /// Whether it has one of these files open, by their paths.
    package func hasOpen(_ paths: Set<String>) -> Bool {
        let folder = "/proc/\(process.processIdentifier)/fd"
        let files = FileManager.default
        return ((try? files.contentsOfDirectory(atPath: folder)) ?? []).contains { number in
            (try? files.destinationOfSymbolicLink(atPath: "\(folder)/\(number)")).map(paths.contains) ?? false
        }
    }

    /// Waits for its end.
    package func ending() async throws -> Ending {
        for await _ in ended {}
        return Ending(
            code: process.terminationReason == .exit ? process.terminationStatus : nil,
            output: try String(contentsOfFile: "\(files).out", encoding: .utf8),
            errors: try errors)
    }
}
