import AppAttest
import Refresh

/// The state of the fleet in its two forms. Both name what stands in the place of Apple's own.
package struct StatusReport: Sendable {
    private let status: FleetStatus
    private let alerts: [OpenAlert]
    private let replacements: [String]
    private let now: Instant

    /// A report on a fleet as it stood at `now`, with the alerts that were open.
    package init(_ status: FleetStatus, alerts: [OpenAlert], replacements: [String], now: Instant) {
        self.status = status
        self.alerts = alerts
        self.replacements = replacements
        self.now = now
    }

    /// Lines for people.
    package var text: String {
        var table = Table([.words("KEYS"), .numbers("COUNT"), .words("MEANING")])
        table.add(["unknown", String(status.unknown), "no reading yet"])
        table.add(["fresh", String(status.fresh), "newest reading under 30 days old"])
        table.add(["quiet", String(status.quiet), "Apple had no data when last asked (404)"])
        table.add(["stale", String(status.stale), "last read 30 or more days ago, and not quiet"])
        table.add(["due", String(status.due), "to be sent now"])
        table.add(["overdue", String(status.overdue), "due for over 24 hours"])
        table.add(["quarantined", String(status.quarantined), "put aside for a person"])
        table.add(["dropped", String(status.dropped), "given up by a person"])
        table.add(["retired", String(status.retired), "expired while quiet, the normal end"])
        table.add(["lost", String(status.lost), "expired while data was still expected"])
        table.add(["pending", String(status.pending), "receipts handed over in SQL that wait for the next run"])
        table.add(["rejected", String(status.rejected), "receipts handed over likewise that were not taken in"])
        var text = table.text + "\n"
        text += "oldest due:     \(shown(status.oldestDue, "nothing is due"))\n"
        text += "soonest expiry: \(shown(status.soonestExpiry, "nothing expires"))\n"
        text += "last run:       \(lastRun)\n"
        return text + alertTable + replacementLines(replacements)
    }

    private var alertTable: String {
        guard !alerts.isEmpty else { return "" }
        var table = Table([.words("ALERT"), .words("CAUSE"), .words("SINCE"), .words("MESSAGE"), .words("HINT")])
        for alert in alerts {
            table.add([alert.kind, alert.cause, alert.openedTime.secondsText, alert.message, alert.hint])
        }
        return "\n" + table.text
    }

    private func shown(_ time: Instant?, _ otherwise: String) -> String {
        time.map { timeWords($0, now: now) } ?? otherwise
    }

    private var lastRun: String {
        guard let start = status.lastRunStart else { return "none yet" }
        guard let end = status.lastRunEnd else { return "began \(shown(start, "")), not ended" }
        return "began \(start.secondsText), ended \(shown(end, ""))"
    }

    /// One JSON object in a line.
    package var json: String {
        let value = JSONValue.object([
            "time": .string(now.rfc3339),
            "unknown": .integer(status.unknown),
            "fresh": .integer(status.fresh),
            "quiet": .integer(status.quiet),
            "stale": .integer(status.stale),
            "due": .integer(status.due),
            "overdue": .integer(status.overdue),
            "quarantined": .integer(status.quarantined),
            "dropped": .integer(status.dropped),
            "retired": .integer(status.retired),
            "lost": .integer(status.lost),
            "pending": .integer(status.pending),
            "rejected": .integer(status.rejected),
            "oldest_due": .text(status.oldestDue?.rfc3339),
            "soonest_expiry": .text(status.soonestExpiry?.rfc3339),
            "last_run_start": .text(status.lastRunStart?.rfc3339),
            "last_run_end": .text(status.lastRunEnd?.rfc3339),
            "alerts": .array(
                alerts.map { alert in
                    .object([
                        "kind": .string(alert.kind), "cause": .string(alert.cause),
                        "opened_time": .string(alert.openedTime.rfc3339),
                        "seen_time": .string(alert.seenTime.rfc3339), "message": .string(alert.message),
                        "hint": .string(alert.hint),
                    ])
                }),
            "replacements": .array(replacements.map(JSONValue.string)),
        ])
        return value.text + "\n"
    }
}

/// A line for each thing that stands in the place of Apple's own.
package func replacementLines(_ replacements: [String]) -> String {
    replacements.map { "not Apple's: \($0)\n" }.joined()
}
