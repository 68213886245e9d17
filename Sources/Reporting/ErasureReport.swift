import Refresh

/// What was erased, in two forms.
package struct ErasureReport: Sendable {
    private let counts: Erasure.Counts
    private let journalEntries: Int
    private let isDryRun: Bool

    /// A report; `journalEntries` are those of keys that are not on record.
    package init(_ counts: Erasure.Counts, journalEntries: Int, isDryRun: Bool) {
        self.counts = counts
        self.journalEntries = journalEntries
        self.isDryRun = isDryRun
    }

    /// A table for people; a sentence where there was nothing.
    package var text: String {
        guard !counts.isEmpty || journalEntries > 0 else { return "nothing of that name is on record\n" }
        var table = Table([.words(isDryRun ? "WOULD GO" : "ERASED"), .numbers("COUNT"), .words("MEANING")])
        for (name, count, meaning) in rows { table.add([name, String(count), meaning]) }
        return table.text + (isDryRun ? "\nnothing was changed (--dry-run)\n" : "")
    }

    /// One JSON object in a line.
    package var json: String {
        let members = rows.map { name, count, _ in
            JSONValue.Member(key: name.replacing(" ", with: "_"), value: .integer(count))
        }
        return JSONValue.object(members + [JSONValue.Member(key: "dry_run", value: .bool(isDryRun))]).text + "\n"
    }

    private var rows: [(name: String, count: Int, meaning: String)] {
        [
            ("keys", counts.keys, "no longer on record"),
            ("receipts", counts.receipts, "each with the one it had replaced"),
            ("readings", counts.readings, "of all months"),
            ("submissions", counts.submissions, "handed over, not yet taken in"),
            ("rejections", counts.rejections, "handed over and refused"),
            ("kept answers", counts.keptAnswers, "that were not believed"),
            ("flags closed", counts.flagsClosed, "their device has no key left"),
            ("references struck", counts.referencesStruck, "flags and events that stay without a name"),
            ("journal entries", journalEntries, "on this machine, of keys that are not on record"),
        ]
    }
}
