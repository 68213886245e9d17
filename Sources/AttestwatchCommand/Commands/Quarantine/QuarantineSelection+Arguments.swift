import AppAttest
import Refresh

extension QuarantineSelection {
    private static let expectedTime = "an RFC 3339 time such as 2026-10-09T07:25:21Z, or a date"

    /// What the operands after the first, and the options, select.
    ///
    /// - Throws: also where nothing is selected, and `action` is not one that only shows.
    init(_ arguments: ParsedArguments, for action: QuarantineCommand.Action) throws(UsageError) {
        self.init()
        let named = arguments.operands.dropFirst()
        if !named.isEmpty {
            var keys: Set<KeyIdentifier> = []
            for text in named {
                guard let key = KeyIdentifierText.parse(text) else {
                    throw .badValue("KEY_ID", expected: KeyIdentifierText.expected, found: text)
                }
                keys.insert(key)
            }
            self.keys = keys
        }
        let reasons = QuarantineReason.allCases.map(\.rawValue)
        reason = try arguments.value(
            QuarantineCommand.reason, as: "one of \(reasons.joined(separator: ", "))", QuarantineReason.init(rawValue:))
        since = try arguments.value(QuarantineCommand.after, as: Self.expectedTime, Self.time)
        before = try arguments.value(QuarantineCommand.before, as: Self.expectedTime, Self.time)
        app = try arguments.value(
            QuarantineCommand.app, as: "an App ID such as A1B2C3D4E5.com.example.app", AppID.init)
        let everything = QuarantineCommand.everything.name
        let narrowing = [
            keys.map { _ in "KEY_ID" }, reason.map { _ in QuarantineCommand.reason.name },
            since.map { _ in QuarantineCommand.after.name }, before.map { _ in QuarantineCommand.before.name },
            app.map { _ in QuarantineCommand.app.name },
        ].compactMap(\.self)
        if arguments.has(QuarantineCommand.everything) {
            if let first = narrowing.first { throw .conflict(first, everything) }
        } else if narrowing.isEmpty, action != .list {
            throw .missingOperand(
                "KEY_ID, --reason, --after, --before, --app or \(everything)", of: "quarantine \(action.rawValue)")
        }
    }

    /// A date stands for its first instant in UTC.
    private static func time(_ text: String) -> Instant? {
        try? Instant(rfc3339: text.utf8.count == 10 ? "\(text)T00:00:00Z" : text)
    }
}
