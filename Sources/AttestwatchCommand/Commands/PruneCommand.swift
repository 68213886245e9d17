import AppAttest
import ReceiptStore
import Refresh
import Reporting

/// `attestwatch prune`.
enum PruneCommand {
    /// Changes nothing.
    static let dryRun = OptionSyntax("--dry-run", nil, "only count what would go")

    /// The command line it takes.
    static let syntax = CommandSyntax(
        name: "prune", operands: "", operandCount: 0...0,
        summary: "Take away what is older than its retention.",
        details: """
            The setting `retention` says how long readings, runs, refused receipts and closed alerts are kept. Months of
            readings go as whole partitions once all of a month is older, and never before 60 days after its end.
            Receipts with the newest reading of each key, open alerts and all flags with their events stay. Run it once
            a week, say; twice at once is safe. Exit code 0: done, also where a month is left for the next time because
            somebody was reading it, which is told; 75: the database is away or refuses.
            """,
        options: [.config, .json, dryRun])

    /// Does the work; errors end the program with their exit code.
    static func run(_ arguments: ParsedArguments, _ context: CommandContext) async throws(CommandFailure) -> ExitCode {
        let configuration = try context.configuration(arguments)
        let store = PostgresRetentionStore(database: try await configuration.openCheckedDatabase())
        let (isDryRun, now) = (arguments.has(dryRun), context.clock.now())
        let counts: PruneCounts
        do throws(StoreFailure) {
            counts =
                isDryRun
                ? try await store.count(configuration.retention, now: now)
                : try await store.prune(configuration.retention, now: now)
        } catch {
            throw .store(error)
        }
        let report = PruneReport(counts, isDryRun: isDryRun)
        try context.print(arguments.has(.json) ? report.json : report.text)
        let left = isDryRun ? [] : counts.partitions.filter { !$0.isDropped }
        if !left.isEmpty {
            context.warn(
                "expected to drop \(left.map(\.name).joined(separator: ", ")), found readings in use for over a second")
            context.note("hint: the next prune drops them; a long query or a backup may have been running")
        }
        return .success
    }
}
