import Refresh

/// What came of kept answers that were judged again, in two forms.
package struct RecheckReport: Sendable {
    private let counts: RecheckCounts

    /// A report on one recheck.
    package init(_ counts: RecheckCounts) {
        self.counts = counts
    }

    /// A table for people.
    package var text: String {
        guard counts.judged > 0 else { return "no answers are kept\n" }
        var table = Table([.words("ANSWERS"), .numbers("COUNT"), .words("MEANING")])
        table.add(["judged", String(counts.judged), ""])
        table.add(["replaced", String(counts.replaced), "verifies now, a newer receipt is stored"])
        table.add(["superseded", String(counts.superseded), "verifies now, and was stored already"])
        for (word, count) in counts.unverified.sorted(by: { $0.key < $1.key }) {
            table.add([word, String(count), "still does not verify, and is kept"])
        }
        for (state, count) in counts.refused.sorted(by: { $0.key < $1.key }) {
            table.add(["SQLSTATE \(state)", String(count), "verifies, refused by the database, and is kept"])
        }
        return table.text
            + "\nflags: \(counts.flagsOpened) opened, \(counts.flagsRaised) raised, \(counts.flagsLowered) lowered, "
            + "\(counts.flagsCleared) cleared\n"
    }

    /// One JSON object in a line.
    package var json: String {
        JSONValue.object([
            "judged": .integer(counts.judged),
            "replaced": .integer(counts.replaced),
            "superseded": .integer(counts.superseded),
            "readings_outdated": .integer(counts.readingsOutdated),
            "unverified": .counts(counts.unverified),
            "refused": .counts(counts.refused),
            "flags_opened": .integer(counts.flagsOpened),
            "flags_raised": .integer(counts.flagsRaised),
            "flags_lowered": .integer(counts.flagsLowered),
            "flags_cleared": .integer(counts.flagsCleared),
        ]).text + "\n"
    }
}

extension JSONValue {
    /// An object of counts by word, in alphabetical order.
    fileprivate static func counts(_ counts: [String: Int]) -> JSONValue {
        .object(counts.sorted { $0.key < $1.key }.map { Member(key: $0.key, value: .integer($0.value)) })
    }
}
