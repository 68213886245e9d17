import AppAttest
import Refresh

/// What `explain` says of a subject, for people; no receipt, no token.
package struct ExplainReport: Sendable {
    let explanation: Explanation

    /// A report on this explanation.
    package init(_ explanation: Explanation) {
        self.explanation = explanation
    }

    var record: SubjectRecord { explanation.record }
    var key: KeyRecord { explanation.record.key }
    private var now: Instant { explanation.now }

    /// Lines for people: the key's facts, then tables of its readings, its device's flag events, and its other keys.
    package var text: String {
        let width = lines.map(\.0.count).max() ?? 0
        var text = ""
        for (title, words) in lines {
            text += "\(title)\(String(repeating: " ", count: width - title.count))  \(printable(words))\n"
        }
        return text + readingsTable + eventsTable + keysTable
    }

    private var lines: [(String, String)] {
        var lines = identity + receiptLines + scheduleLines + lastAnswer
        lines.append(("a run now would", explanation.step.sentence(for: explanation)))
        return lines
    }

    private var identity: [(String, String)] {
        var lines = [("key", "\(key.keyID.base64)\(place)"), ("app", "\(record.appID) (\(record.environment))")]
        if let deviceRef = record.deviceRef {
            lines.append(
                ("device", "\(deviceRef), \(record.keyCount) \(record.keyCount == 1 ? "key" : "keys") on record"))
        }
        if let userRef = key.userRef { lines.append(("user", userRef)) }
        lines.append(("attested", key.attestedTime.map(shown) ?? "not known"))
        lines.append(("on record since", shown(key.addedTime)))
        let level = record.level
        let reading = level.riskMetric.flatMap { metric in
            level.metricTime.map { "\(metric) in the receipt of \(shown($0))" }
        }
        lines.append(("level", "\(level.level)\(reading.map { ": \($0)" } ?? "")"))
        let flag = record.flag.map { flag in
            "\(flag.level.rawValue), peak \(flag.peakMetric), opened \(shown(flag.openedTime)), "
                + "changed \(shown(flag.changedTime))"
        }
        lines.append(("open flag", flag ?? "none"))
        return lines
    }

    private var place: String {
        guard record.deviceRef != nil else { return "" }
        if key.isNewest { return " (the newest of its device)" }
        return key.isReader ? " (carries its device's highest reading)" : " (an older one of its device)"
    }

    private var receiptLines: [(String, String)] {
        let receipt = key.receipt
        var lines = [("receipt", "\(receipt.type.rawValue), created \(shown(receipt.creationTime))")]
        lines.append(("replaced", receipt.replacedCreationTime.map { "the one created \(shown($0))" } ?? "none yet"))
        if let time = receipt.tokenChangedTime { lines.append(("token", "changed \(shown(time))")) }
        let metric = receipt.riskMetric.flatMap { metric in
            receipt.metricTime.map { "\(metric) in the receipt of \(shown($0))" }
        }
        lines.append(("metric", metric ?? "none yet"))
        let window = explanation.window
        lines.append(("window opens", "\(shown(window.opens))\(receipt.notBefore == nil ? ", has no not-before" : "")"))
        lines.append(("last tenth from", shown(window.lastTenth)))
        lines.append(("expires", shown(window.closes)))
        return lines
    }

    private var scheduleLines: [(String, String)] {
        let row = key.schedule
        let reason = row.quarantineReason.map { " (\($0.rawValue))" } ?? ""
        let isDue = row.state == .active || row.state == .quiet
        return [
            ("state", row.state.rawValue + reason),
            ("due", isDue ? "\(shown(row.dueTime)), rank \(row.rank.word)" : "-"),
            ("why then", explanation.reason.sentence(explanation.cadence ?? .standard, row.quarantineReason)),
            ("failures in a row", "\(row.failures), charged: \(row.attempts)"),
        ]
    }

    private var lastAnswer: [(String, String)] {
        let (row, reply) = (key.schedule, key.reply)
        guard let outcome = row.lastOutcome, let time = row.lastOutcomeTime else {
            return [("last try", "none yet"), ("kept answers", String(key.keptAnswers))]
        }
        var lines = [("last try", "\(outcome.rawValue) \(shown(time))")]
        if let status = reply.status {
            lines.append(("answered", "\(status)\(reply.date.map { ", Date \($0.secondsText)" } ?? "")"))
        } else {
            lines.append(("answered", "nothing"))
        }
        if let trace = reply.traceID { lines.append(("trace", trace)) }
        if let span = reply.spanID { lines.append(("span", span)) }
        if let excerpt = reply.excerpt { lines.append(("error text", excerpt)) }
        lines.append(("kept answers", String(key.keptAnswers)))
        return lines
    }

    private var readingsTable: String {
        guard !record.readings.isEmpty else { return "" }
        var table = Table([.words("READING OF"), .numbers("METRIC")])
        for reading in record.readings { table.add([shown(reading.time), String(reading.riskMetric)]) }
        return "\n\(table.text)"
    }

    private var eventsTable: String {
        guard !record.flagEvents.isEmpty else { return "" }
        var table = Table([
            .words("FLAG"), .words("WHEN"), .words("FROM"), .words("TO"), .numbers("METRIC"), .words("BY"),
            .words("VERDICT"), .words("NOTE"),
        ])
        for event in record.flagEvents {
            table.add([
                event.kind, shown(event.time), event.fromLevel?.rawValue, event.toLevel?.rawValue,
                event.riskMetric.map(String.init), event.actor, event.verdict, event.note,
            ])
        }
        return "\n\(table.text)"
    }

    private var keysTable: String {
        guard !record.otherKeys.isEmpty else { return "" }
        var table = Table([
            .words("OTHER KEY"), .words("ATTESTED"), .words("STATE"), .numbers("METRIC"), .words("METRIC TIME"),
            .words("DUE"), .words("RANK"),
        ])
        for key in record.otherKeys {
            table.add([
                key.keyID.base64, key.attestedTime?.secondsText, key.schedule.state.rawValue,
                key.receipt.riskMetric.map(String.init), key.receipt.metricTime?.secondsText,
                key.schedule.dueTime.secondsText, key.schedule.rank.word,
            ])
        }
        let rest = record.keyCount - 1 - record.otherKeys.count
        return "\n\(table.text)" + (rest > 0 ? "and \(rest) more\n" : "")
    }

    private func shown(_ time: Instant) -> String { timeWords(time, now: now) }
}
