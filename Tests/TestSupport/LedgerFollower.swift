import Foundation
import Glibc
import SimulatedDataServer

/// Reads a simulator's ledger while it is being written.
package final class LedgerFollower {
    private let file: FileHandle
    // inotify(7): becomes readable when somebody has written.
    private let watch: Int32
    private var rest = Data()

    /// Begins behind the lines that are there.
    package init(_ simulator: Simulator) throws {
        let path = simulator.ready.ledgerFile
        file = try FileHandle(forReadingFrom: URL(filePath: path))
        try file.seekToEnd()
        watch = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        _ = unsafe inotify_add_watch(watch, path, UInt32(IN_MODIFY))
    }

    deinit { close(watch) }

    /// The lines that have come since the last time; where there are none, waits for some, but no longer than a quarter
    /// of a second.
    package func lines() async throws -> [LedgerLine] {
        let lines = try read()
        if !lines.isEmpty { return lines }
        await becomesReadable()
        return try read()
    }

    /// The lines until there are `count` or the worker has ended.
    package func lines(_ count: Int, whileRunning worker: Worker) async throws -> [LedgerLine] {
        var all: [LedgerLine] = []
        while all.count < count {
            let isRunning = worker.isRunning
            all += try await lines()
            if !isRunning { break }
        }
        return all
    }

    private func read() throws -> [LedgerLine] {
        rest += try file.readToEnd() ?? Data()
        guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        let whole = rest[...end]
        rest = Data(rest[(end + 1)...])
        return try whole.split(separator: UInt8(ascii: "\n")).map { line in
            try JSONDecoder().decode(LedgerLine.self, from: line)
        }
    }

    // On a thread of its own, since it blocks.
    private func becomesReadable() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [watch] in
                var wanted = pollfd(fd: watch, events: Int16(POLLIN), revents: 0)
                if unsafe poll(&wanted, 1, 250) == 1 {
                    var events = [UInt8](repeating: 0, count: 4_096)
                    _ = unsafe Glibc.read(watch, &events, events.count)
                }
                continuation.resume()
            }
        }
    }
}
