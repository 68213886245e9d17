import Foundation
import Postgres
import TestSupport
import Testing

/// What of a fleet may not change while something outside is wrong.
struct Standing: Hashable {
    /// One digest of every stored receipt with its key.
    let receipts: String
    /// Attempts charged, over all keys.
    let attempts: Int
    /// Keys that are put aside, or have ended.
    let ended: Int

    /// Reads it from a database that is there.
    static func read(_ test: TestDatabase) async throws -> Standing {
        let query = Query(
            name: "test_standing",
            sql: """
                SELECT encode(sha256(string_agg(r.key_id || r.bytes, '' ORDER BY r.key_id)), 'hex'),
                       sum(s.attempts)::bigint, count(*) FILTER (WHERE s.state NOT IN ('active', 'quiet'))
                FROM attestwatch.receipt r JOIN attestwatch.schedule s USING (key_id)
                """)
        return try await test.database.perform { connection throws(PostgresError) in
            var rows = try connection.run(query)
            _ = rows.next()
            return Standing(receipts: try rows.read(), attempts: try rows.read(), ended: try rows.read())
        }
    }
}

/// A command that runs in a process of its own.
final class StartedCommand {
    private let process: Process
    private let output = Pipe()
    private let errors = Pipe()
    private var events: [UInt8] = []
    private var notes: [UInt8] = []

    /// Starts it on a stage; `words` are the command that starts it in its place, if any.
    convenience init(_ stage: Stage, _ arguments: String..., under words: [String] = []) throws {
        try self.init(stage, arguments, under: words)
    }

    /// The same with more environment variables.
    init(_ stage: Stage, _ arguments: [String], under words: [String], environment: [String: String] = [:]) throws {
        process = try stage.start(
            arguments, under: words, environment: environment, output: output, errors: errors)
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Waits until it has written the text to standard error; false when it ended without.
    func says(_ text: String) -> Bool {
        while !String(decoding: notes, as: UTF8.self).contains(text) {
            let piece = errors.fileHandleForReading.availableData
            if piece.isEmpty { return false }
            notes += piece
        }
        return true
    }

    /// Waits until it has written something to standard output: with `--events -`, until the first batch is stored.
    func beginsToWrite() -> Bool {
        let piece = output.fileHandleForReading.availableData
        events += piece
        return !piece.isEmpty
    }

    /// Waits for its end.
    func ending() throws -> (status: Int32, output: String, errors: String) {
        notes += try errors.fileHandleForReading.readToEnd() ?? Data()
        events += try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        return (
            process.terminationStatus, String(decoding: events, as: UTF8.self), String(decoding: notes, as: UTF8.self)
        )
    }
}
