import AppAttest
import Refresh

/// What `plan` says, in its two forms.
package struct PlanReport: Sendable {
    private let plan: FleetPlan
    private let hosts: [Environment: String]
    private let replacements: [String]

    /// A report on a plan.
    ///
    /// - Parameters:
    ///   - hosts: where each data server is.
    ///   - replacements: what stands in the place of Apple's own.
    package init(_ plan: FleetPlan, hosts: [Environment: String], replacements: [String]) {
        self.plan = plan
        self.hosts = hosts
        self.replacements = replacements
    }

    /// Lines for people: the verdict comes last.
    package var text: String {
        var table = Table([.words("KEYS"), .numbers("COUNT")])
        for state in ReceiptState.allCases { table.add([state.rawValue, String(plan.states[state] ?? 0)]) }
        var text = table.text
        for server in plan.servers { text += "\n" + self.text(of: server) }
        return text + "\n" + verdict + replacementLines(replacements)
    }

    private func text(of server: ServerPlan) -> String {
        let host = hosts[server.environment].map { " (\($0))" } ?? ""
        var text = "\(server.environment)\(host), the next \(plan.days) days:\n\n"
        var calls = Table([.words("CALLS"), .numbers("A DAY"), .words("OF WHAT")])
        for kind in CallKind.allCases {
            calls.add([kind.rawValue, Self.rounded(server.callsADay(kind)), kind.meaning])
        }
        calls.add(["needed", Self.rounded(server.callsADay), "busiest day: \(Self.words(server.busiestDay))"])
        calls.add(["budget", Self.rounded(server.budgetADay), "at \(Self.decimal(server.requestsPerSecond)) a second"])
        text += calls.text + "\n"
        var due = Table([.words("DUE NOW"), .numbers("COUNT"), .numbers("OVER 24 H"), .numbers("EXPIRE UNSENT")])
        for rank in Rank.allCases {
            let backlog = server.queue.backlog[rank] ?? .init(due: 0, overdue: 0, lost: 0)
            due.add([rank.word, String(backlog.due), String(backlog.overdue), String(backlog.lost)])
        }
        text += due.text + "\n"
        text += "budget used:   \(Self.decimal(server.budgetUsed * 100)) %\n"
        text += "busiest hour:  \(Self.words(server.busiestHour))\n"
        text += "to drain:      \(server.queue.allDue == 0 ? "nothing is due" : durationWords(server.drainTime))\n"
        return text
    }

    private var verdict: String {
        var faults: [String] = []
        for server in plan.servers {
            if !server.isWithinBudget {
                faults.append(
                    "\(server.environment): \(Self.rounded(server.callsADay)) calls a day are needed, and the pace "
                        + "allows \(Self.rounded(server.budgetADay)): raise requests_per_second, or lengthen cadences"
                )
            }
            if server.lost > 0 {
                faults.append(
                    "\(server.environment): \(server.lost) receipts expire before their turn: raise requests_per_second"
                )
            }
        }
        if faults.isEmpty { return "the plan fits: no receipt is lost for want of pace\n" }
        return faults.map { "the plan does not fit: \($0)\n" }.joined()
    }

    private static func words(_ peak: Peak) -> String { "\(rounded(peak.calls)) from \(peak.start.secondsText)" }

    private static func rounded(_ calls: Double) -> String { String(Int(calls.rounded())) }

    /// With one digit behind the point.
    private static func decimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// One JSON object in a line; calls are rounded to whole ones.
    package var json: String {
        let value = JSONValue.object([
            "time": .string(plan.time.rfc3339),
            "days": .integer(plan.days),
            "fits": .bool(plan.fits),
            "calls_a_day": .integer(Int(plan.callsADay.rounded())),
            "keys": .object(
                ReceiptState.allCases.map { .init(key: $0.rawValue, value: .integer(plan.states[$0] ?? 0)) }),
            "data_servers": .array(plan.servers.map(json)),
            "replacements": .array(replacements.map(JSONValue.string)),
        ])
        return value.text + "\n"
    }

    private func json(_ server: ServerPlan) -> JSONValue {
        func whole(_ calls: Double) -> JSONValue { .integer(Int(calls.rounded())) }
        return .object([
            "environment": .string(server.environment.rawValue),
            "host": .text(hosts[server.environment]),
            "keys": .integer(server.keys),
            "calls_a_day": whole(server.callsADay),
            "calls_a_day_by_kind": .object(
                CallKind.allCases.map { .init(key: $0.rawValue, value: whole(server.callsADay($0))) }),
            "busiest_day": .object([
                "start": .string(server.busiestDay.start.rfc3339), "calls": whole(server.busiestDay.calls),
            ]),
            "busiest_hour": .object([
                "start": .string(server.busiestHour.start.rfc3339), "calls": whole(server.busiestHour.calls),
            ]),
            "budget_a_day": whole(server.budgetADay),
            "budget_used_percent": .integer(Int((server.budgetUsed * 100).rounded(.up))),
            "due": .object(
                Rank.allCases.map { rank in
                    let backlog = server.queue.backlog[rank] ?? .init(due: 0, overdue: 0, lost: 0)
                    return .init(
                        key: rank.word,
                        value: .object([
                            "due": .integer(backlog.due), "overdue": .integer(backlog.overdue),
                            "expire_unsent": .integer(backlog.lost),
                        ]))
                }),
            "drain_seconds": .integer(Int(server.drainTime.components.seconds)),
            "expire_unsent": .integer(server.lost),
        ])
    }
}

extension CallKind {
    /// For people.
    fileprivate var meaning: String {
        switch self {
        case .firstReading: "of keys not read yet"
        case .clear: "of devices without a flag"
        case .flagged: "of flagged devices"
        case .quiet: "of keys that Apple had no data for"
        case .background: "of devices' older keys"
        }
    }
}
