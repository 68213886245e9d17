import ReceiptStore
import Refresh
import Reporting

/// Where one selection of keys that wait for a person is shown and decided on.
struct QuarantineDesk: Sendable {
    /// Which keys.
    let selection: QuarantineSelection
    /// Where they are.
    let store: PostgresQuarantineStore
    /// The command line.
    let arguments: ParsedArguments
    /// Where results go, and the time.
    let context: CommandContext

    /// Shows the keys.
    func list() async throws(CommandFailure) -> ExitCode {
        let states: Set<ReceiptState> =
            arguments.has(QuarantineCommand.dropped) ? [.quarantined, .dropped] : [.quarantined]
        let keys = try await stored { () async throws(StoreFailure) in try await store.list(selection, in: states) }
        try print(QuarantineReport.table(keys), QuarantineReport.jsonLines(keys))
        return .success
    }

    /// Lets the keys be sent again; those that were dropped only where they are named.
    func release() async throws(CommandFailure) -> ExitCode {
        let states: Set<ReceiptState> = selection.keys == nil ? [.quarantined] : [.quarantined, .dropped]
        let now = context.clock.now()
        let count = try await stored { () async throws(StoreFailure) in
            isDryRun
                ? try await store.count(selection, in: states).keys
                : try await store.release(selection, in: states, now: now)
        }
        let report = QuarantineChangeReport(.released, keys: count, isDryRun: isDryRun)
        try print(report.text, report.json)
        return ending(count)
    }

    /// Gives the keys up.
    func drop() async throws(CommandFailure) -> ExitCode {
        let counts = try await stored { () async throws(StoreFailure) in
            isDryRun ? try await store.count(selection) : try await store.drop(selection)
        }
        let report = QuarantineChangeReport(
            .dropped, keys: counts.keys, answers: counts.answers, isDryRun: isDryRun)
        try print(report.text, report.json)
        return ending(counts.keys)
    }

    /// Judges the answers that are kept of the keys again.
    func recheck(_ recheck: Recheck) async throws(CommandFailure) -> ExitCode {
        let counts = try await stored { () async throws(StoreFailure) in
            var recheck = recheck
            return try await recheck.run(selection)
        }
        let report = RecheckReport(counts)
        try print(report.text, report.json)
        if counts.readingsOutdated > 0 {
            context.warn(
                "\(counts.readingsOutdated) readings are older than retention.readings and were not kept; their "
                    + "receipts were")
        }
        return counts.needPerson ? .attention : .success
    }

    private var isDryRun: Bool { arguments.has(QuarantineCommand.dryRun) }

    /// Whether all keys that were named were there.
    private func ending(_ count: Int) -> ExitCode {
        guard let named = selection.keys?.count, count < named else { return .success }
        context.warn("expected \(named) keys that are put aside, found \(count); the others stay as they are")
        return .attention
    }

    private func print(_ text: String, _ json: String) throws(CommandFailure) {
        try context.print(arguments.has(.json) ? json : text)
    }

    private func stored<Value: Sendable>(
        _ work: () async throws(StoreFailure) -> Value
    ) async throws(CommandFailure) -> Value {
        do throws(StoreFailure) { return try await work() } catch { throw .store(error) }
    }
}
