import AppAttest
import Refresh

/// What waits for a person, and what became of it, in two forms each.
package enum QuarantineReport {
    /// What is printed for people when the list is empty.
    package static let emptyText = "no key waits for a person\n"

    /// A table for people, and below it what each reason in it means and what to do; a sentence when there are no keys.
    package static func table(_ keys: [QuarantinedKey]) -> String {
        guard !keys.isEmpty else { return emptyText }
        var table = Table([
            .words("REASON"), .words("STATE"), .words("SINCE"), .numbers("ATTEMPTS"), .numbers("STATUS"),
            .numbers("ANSWERS"), .words("EXPIRES"), .words("APP"), .words("ENVIRONMENT"), .words("DEVICE"),
            .words("KEY"), .words("TRACE"), .words("BODY"),
        ])
        for key in keys {
            table.add([
                key.reason.rawValue, key.state.rawValue, key.since?.secondsText, String(key.attempts),
                key.lastStatus.map(String.init), String(key.keptAnswers), key.expirationTime.secondsText,
                key.appID.text, key.environment.rawValue, key.deviceRef, key.keyID.base64, key.lastTraceID,
                key.lastExcerpt,
            ])
        }
        let reasons = Set(keys.map(\.reason))
        let hints = QuarantineReason.allCases.filter(reasons.contains).map { reason in
            "\(reason.rawValue): \(reason.meaning)\n    \(reason.hint)\n"
        }
        return table.text + "\n" + hints.joined()
    }

    /// One JSON object a line; nothing when there are no keys.
    package static func jsonLines(_ keys: [QuarantinedKey]) -> String {
        keys.map { json($0).text + "\n" }.joined()
    }

    private static func json(_ key: QuarantinedKey) -> JSONValue {
        .object([
            "key_id": .string(key.keyID.base64),
            "app_id": .string(key.appID.text),
            "environment": .string(key.environment.rawValue),
            "device_ref": .text(key.deviceRef),
            "state": .string(key.state.rawValue),
            "reason": .string(key.reason.rawValue),
            "since": .text(key.since?.rfc3339),
            "attempts": .integer(key.attempts),
            "last_status": .number(key.lastStatus),
            "last_trace_id": .text(key.lastTraceID),
            "last_excerpt": .text(key.lastExcerpt),
            "expiration_time": .string(key.expirationTime.rfc3339),
            "kept_answers": .integer(key.keptAnswers),
            "hint": .string(key.reason.hint),
        ])
    }
}

/// How many keys were released or dropped, in two forms.
package struct QuarantineChangeReport: Sendable {
    /// What was done.
    package enum Change: String, Sendable {
        /// They are sent again.
        case released
        /// They are given up.
        case dropped
    }

    private let change: Change
    private let keys: Int
    private let answers: Int
    private let isDryRun: Bool

    /// A report; `answers` are the kept ones that went with what was dropped.
    package init(_ change: Change, keys: Int, answers: Int = 0, isDryRun: Bool) {
        self.change = change
        self.keys = keys
        self.answers = answers
        self.isDryRun = isDryRun
    }

    /// A sentence for people.
    package var text: String {
        let kept = answers > 0 ? " and \(answers) kept answers" : ""
        if isDryRun { return "\(keys) keys\(kept) would be \(change.rawValue), nothing was changed (--dry-run)\n" }
        return switch change {
        case .released: "released \(keys) keys, due within an hour or when they may be sent\n"
        case .dropped: "dropped \(keys) keys\(kept); their receipts are kept and not sent\n"
        }
    }

    /// One JSON object in a line.
    package var json: String {
        switch change {
        case .released:
            JSONValue.object(["released": .integer(keys), "dry_run": .bool(isDryRun)]).text + "\n"
        case .dropped:
            JSONValue.object([
                "dropped": .integer(keys), "answers_removed": .integer(answers), "dry_run": .bool(isDryRun),
            ]).text + "\n"
        }
    }
}
