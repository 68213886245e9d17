import Refresh

/// What was older than its retention, in two forms.
package struct PruneReport: Sendable {
    private let counts: PruneCounts
    private let isDryRun: Bool

    /// A report on one prune.
    package init(_ counts: PruneCounts, isDryRun: Bool) {
        self.counts = counts
        self.isDryRun = isDryRun
    }

    /// The partitions that are gone, or would be.
    private var partitions: [String] {
        counts.partitions.filter { $0.isDropped || isDryRun }.map(\.name)
    }

    /// A table for people.
    package var text: String {
        var table = Table([.words(isDryRun ? "WOULD GO" : "REMOVED"), .numbers("COUNT"), .words("MEANING")])
        table.add(["months", String(partitions.count), partitions.isEmpty ? nil : partitions.joined(separator: ", ")])
        table.add(["readings", String(counts.readings), "outside of any month's partition"])
        table.add(["runs", String(counts.runs), "but for the latest"])
        table.add(["rejections", String(counts.rejects), "receipts handed over and refused"])
        table.add(["alerts", String(counts.alerts), "closed ones"])
        return table.text + (isDryRun ? "\nnothing was changed (--dry-run)\n" : "")
    }

    /// One JSON object in a line.
    package var json: String {
        let left = counts.partitions.filter { !$0.isDropped && !isDryRun }.map(\.name)
        return JSONValue.object([
            "partitions": .array(partitions.map(JSONValue.string)),
            "partitions_in_use": .array(left.map(JSONValue.string)),
            "readings": .integer(counts.readings),
            "runs": .integer(counts.runs),
            "rejections": .integer(counts.rejects),
            "alerts": .integer(counts.alerts),
            "dry_run": .bool(isDryRun),
        ]).text + "\n"
    }
}
