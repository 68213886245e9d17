import ReceiptStore
import Reporting

/// What became of the lines.
struct IngestCounts: Hashable, Sendable {
    /// Lines that were not blank.
    var lines = 0
    /// Keys that were not on record.
    var takenIn = 0
    /// Receipts newer than the stored one.
    var replaced = 0
    /// Receipts that are the stored one.
    var unchanged = 0
    /// Receipts older than the stored one.
    var older = 0
    /// Lines that did not go in.
    var rejected = 0
    /// Lines whose `device_ref` is not the one on record, which stays.
    var deviceRefsIgnored = 0

    /// Counts what the store made of a line.
    mutating func count(_ outcome: IntakeOutcome) {
        switch outcome.result {
        case .takenIn: takenIn += 1
        case .replaced: replaced += 1
        case .unchanged: unchanged += 1
        case .older: older += 1
        case .rejected: rejected += 1
        }
        if outcome.isDeviceRefIgnored { deviceRefsIgnored += 1 }
    }

    /// A table for people.
    var text: String {
        var table = Table([.words("LINES"), .numbers("COUNT"), .words("MEANING")])
        table.add(["read", String(lines), ""])
        table.add(["taken in", String(takenIn), "keys that were not on record"])
        table.add(["replaced", String(replaced), "newer than the stored receipt"])
        table.add(["unchanged", String(unchanged), "the stored receipt"])
        table.add(["older", String(older), "older than the stored receipt"])
        table.add(["rejected", String(rejected), "see standard error"])
        return table.text
    }

    /// One JSON object in a line.
    var json: String {
        let value = JSONValue.object([
            "lines": .integer(lines), "taken_in": .integer(takenIn), "replaced": .integer(replaced),
            "unchanged": .integer(unchanged), "older": .integer(older), "rejected": .integer(rejected),
            "device_refs_ignored": .integer(deviceRefsIgnored),
        ])
        return value.text + "\n"
    }
}
