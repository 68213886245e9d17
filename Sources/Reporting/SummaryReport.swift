import Refresh

/// The counts of one run in its two forms.
package struct SummaryReport: Sendable {
    private let summary: RunSummary
    private let replacements: [String]

    /// A report on one run; `replacements` is what stands in the place of Apple's own.
    package init(_ summary: RunSummary, replacements: [String]) {
        self.summary = summary
        self.replacements = replacements
    }

    /// A table for people, and a line for each replacement.
    package var text: String {
        var table = Table([.words("RECEIPTS"), .numbers("COUNT"), .words("MEANING")])
        table.add(["due", String(summary.due), "when the run began"])
        table.add(["sent", String(summary.sent), ""])
        table.add(["replaced", String(summary.replaced), "a newer receipt is stored"])
        table.add(["superseded", String(summary.superseded), "the answer was stored already"])
        table.add(["early", String(summary.early), "not before its time (304)"])
        table.add(["quiet", String(summary.quiet), "no data at Apple (404)"])
        table.add(["held", String(summary.held), "put aside in this run, not charged"])
        table.add(["quarantined", String(summary.quarantined), "waits for a person"])
        table.add(["failed", String(summary.failed), "to be tried again"])
        table.add(["retired", String(summary.retired), "expired while quiet"])
        table.add(["lost", String(summary.lost), "expired while data was expected"])
        table.add(["replayed", String(summary.replayed), "from the journal of an earlier run"])
        table.add(["taken in", String(summary.takenIn), "handed over in SQL by a back end"])
        table.add(["rejected", String(summary.rejected), "handed over likewise, and not good"])
        table.add(["pending", String(summary.pending), "handed over likewise, and still waiting"])
        let flags =
            "\nflags: \(summary.flagsOpened) opened, \(summary.flagsRaised) raised, "
            + "\(summary.flagsLowered) lowered, \(summary.flagsCleared) cleared\n"
        return table.text + flags + replacementLines(replacements)
    }

    /// One JSON object in a line: these keys and no others, so replacements are a matter for standard error.
    package var json: String {
        let value = JSONValue.object([
            "due": .integer(summary.due),
            "sent": .integer(summary.sent),
            "replaced": .integer(summary.replaced),
            "early": .integer(summary.early),
            "quiet": .integer(summary.quiet),
            "superseded": .integer(summary.superseded),
            "held": .integer(summary.held),
            "quarantined": .integer(summary.quarantined),
            "failed": .integer(summary.failed),
            "retired": .integer(summary.retired),
            "lost": .integer(summary.lost),
            "replayed": .integer(summary.replayed),
            "taken_in": .integer(summary.takenIn),
            "rejected": .integer(summary.rejected),
            "pending": .integer(summary.pending),
            "flags_opened": .integer(summary.flagsOpened),
            "flags_raised": .integer(summary.flagsRaised),
            "flags_lowered": .integer(summary.flagsLowered),
            "flags_cleared": .integer(summary.flagsCleared),
        ])
        return value.text + "\n"
    }
}
