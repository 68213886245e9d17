import ReceiptStore
import Reporting

/// What became of the rows that this run has read.
struct IngestCounts: Hashable, Sendable {
    /// Rows, blank lines and the header left out.
    var lines = 0
    /// Keys that were not on record.
    var takenIn = 0
    /// Receipts newer than the stored one.
    var replaced = 0
    /// Receipts that are the stored one.
    var unchanged = 0
    /// Receipts older than the stored one.
    var older = 0
    /// Rows that did not go in, by the reason's word.
    private(set) var reasons: [String: Int] = [:]
    /// Rows whose `device_ref` is not the one on record, which stays.
    var deviceRefsIgnored = 0
    /// Rows whose reading is older than the retention of readings, and is kept beside the receipt at most.
    private(set) var readingsOutdated = 0

    /// Rows that did not go in.
    var rejected: Int { reasons.values.reduce(0, +) }

    /// Counts a row that did not go in.
    mutating func count(_ rejection: IngestRejection) {
        reasons[rejection.word, default: 0] += 1
    }

    /// Counts what the store made of a line.
    mutating func count(_ outcome: IntakeOutcome) {
        switch outcome.result {
        case .takenIn: takenIn += 1
        case .replaced: replaced += 1
        case .unchanged: unchanged += 1
        case .older: older += 1
        case .rejected(let rejection): count(.store(rejection))
        }
        if outcome.isDeviceRefIgnored { deviceRefsIgnored += 1 }
        if outcome.isReadingOutdated { readingsOutdated += 1 }
    }

    /// A table for people.
    var text: String {
        var table = Table([.words("LINES"), .numbers("COUNT"), .words("MEANING")])
        table.add(["read", String(lines), ""])
        table.add(["taken in", String(takenIn), "keys that were not on record"])
        table.add(["replaced", String(replaced), "newer than the stored receipt"])
        table.add(["unchanged", String(unchanged), "the stored receipt"])
        table.add(["older", String(older), "older than the stored receipt"])
        table.add(["rejected", String(rejected), reasons.isEmpty ? "" : "by reason below"])
        guard !reasons.isEmpty else { return table.text }
        var rejections = Table([.words("REJECTED FOR"), .numbers("COUNT")])
        for (word, count) in byCount { rejections.add([word, String(count)]) }
        return table.text + "\n" + rejections.text
    }

    /// The most frequent reason first.
    private var byCount: [(word: String, count: Int)] {
        reasons.map { (word: $0.key, count: $0.value) }.sorted { one, other in
            one.count == other.count ? one.word < other.word : one.count > other.count
        }
    }

    /// One JSON object in a line.
    ///
    /// - Parameters:
    ///   - before: what an earlier run of the same file had read that was interrupted; nil: this run began at its
    ///     beginning.
    ///   - isComplete: whether the input was read to its end.
    func json(after before: IngestBookmark?, isComplete: Bool) -> String {
        let value = JSONValue.object([
            "lines": .integer(lines), "taken_in": .integer(takenIn), "replaced": .integer(replaced),
            "unchanged": .integer(unchanged), "older": .integer(older), "rejected": .integer(rejected),
            "rejected_for": .object(byCount.map { .init(key: $0.word, value: .integer($0.count)) }),
            "device_refs_ignored": .integer(deviceRefsIgnored), "readings_outdated": .integer(readingsOutdated),
            "lines_before": .integer(before?.lines ?? 0), "rejected_before": .integer(before?.rejected ?? 0),
            "complete": .bool(isComplete),
        ])
        return value.text + "\n"
    }
}
