import AppAttest
import AttestwatchCommand
import Foundation
import SimulatedDataServer
import TestSupport
import Testing

/// An alert as it is stored, open or closed.
struct StoredAlert: Hashable {
    /// Kind and cause.
    let name: String
    /// What is said of the fault.
    let message: String
    /// When a run first found it, in microseconds.
    let opened: Int
    /// When a run last found it, likewise.
    let seen: Int
    let isOpen: Bool
}

extension Trial {
    /// The alerts of all time, the oldest first.
    func alerts() async throws -> [StoredAlert] {
        let lines = try await test.texts(
            """
            SELECT concat_ws('|', kind || ' ' || cause, message, (extract(epoch FROM opened_time) * 1000000)::bigint,
                (extract(epoch FROM seen_time) * 1000000)::bigint, closed_time IS NULL)
            FROM attestwatch.alert ORDER BY alert_id
            """)
        return try lines.map { line in
            let parts = line.split(separator: "|").map(String.init)
            return StoredAlert(
                name: parts[0], message: parts[1], opened: try #require(Int(parts[2])),
                seen: try #require(Int(parts[3])), isOpen: parts[4] == "t")
        }
    }

    /// The names of the open alerts, in their order.
    func openAlerts() async throws -> [String] {
        try await alerts().filter(\.isOpen).map(\.name).sorted()
    }

    /// The digest of each device's stored receipt.
    func receipts() async throws -> [String: String] {
        let lines = try await test.texts(
            """
            SELECT k.device_ref || ' ' || encode(sha256(r.bytes), 'hex')
            FROM attestwatch.attested_key k JOIN attestwatch.receipt r USING (key_id)
            """)
        return Dictionary(
            uniqueKeysWithValues: lines.map { line in
                let parts = line.split(separator: " ").map(String.init)
                return (parts[0], parts[1])
            })
    }

    /// Requests a second that the shared budget allows at present.
    func rate() async throws -> Int {
        try await test.number("SELECT round(rate)::bigint FROM attestwatch.data_server")
    }

    /// Seconds for which the shared budget lets nothing leave yet; negative once that is over.
    func pause() async throws -> Int {
        try await test.number(
            "SELECT ceil(extract(epoch FROM paused_until - clock_timestamp()))::bigint FROM attestwatch.data_server")
    }

    /// Lets so much time pass for the shared budget, which goes by the database's own clock.
    func ageBudget(_ duration: Duration) async throws {
        let age = "interval '\(duration.components.seconds) seconds'"
        try await test.execute(
            """
            UPDATE attestwatch.data_server
            SET rated_time = rated_time - \(age), granted_until = granted_until - \(age), cut_time = cut_time - \(age),
                paused_until = paused_until - \(age)
            """)
    }

    /// The longest time between two requests that came one after the other, of these.
    func longestGap(_ lines: ArraySlice<LedgerLine>) throws -> Duration {
        let times = try lines.map { try Instant(rfc3339: $0.time) }
        return zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? .zero
    }
}

extension Stage {
    /// Asks the next run to stop as soon as so many requests have come to the data server, the last of them after
    /// nothing had come for a while.
    func stopNextRun(after count: Int, silence: Duration) throws {
        let path = attestwatch.folder.appending(path: "ledger.ndjson").path
        let before = try ledger().count
        attestwatch.takeStopRequests = {
            {
                let lines = FileManager.default.contents(atPath: path)?.count { $0 == UInt8(ascii: "\n") } ?? 0
                guard lines >= before + count, let last = try? LedgerLine.read(path).suffix(2).map(\.time),
                    let earlier = last.first.flatMap({ try? Instant(rfc3339: $0) }),
                    let later = last.last.flatMap({ try? Instant(rfc3339: $0) })
                else { return false }
                return later - earlier >= silence
            }
        }
    }

    /// Lets runs come to their end from now on.
    func stopNoRun() {
        attestwatch.takeStopRequests = { { false } }
    }
}
