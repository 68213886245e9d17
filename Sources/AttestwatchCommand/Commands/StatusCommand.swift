import AppAttest
import ReceiptStore
import Refresh
import Reporting

/// `attestwatch status`.
enum StatusCommand {
    /// Tells by the exit code.
    static let check = OptionSyntax("--check", nil, "exit with 1 where an alert is open or a receipt is overdue")
    /// The command line it takes.
    static let syntax = CommandSyntax(
        name: "status", operands: "", operandCount: 0...0,
        summary: "Show how the fleet stands: fresh, quiet, due, overdue, the last run, and open alerts.",
        details: """
            Every key is counted once among unknown, fresh, quiet, stale, quarantined, dropped, retired and lost; due
            and overdue are counted beside that; pending and rejected are receipts that back ends have handed over in
            SQL. Alerts are faults of the service itself, each from the run that found it to the one that found it gone.
            Runs that do not take place find nothing: receipts due for over a day are warned of here, and with --check,
            for a monitoring job, the exit code is 1 for them as for an open alert. What stands in the place of Apple's
            servers and roots is named at the end.
            """,
        options: [.config, .json, check])

    /// Does the work; errors end the program with their exit code.
    static func run(_ arguments: ParsedArguments, _ context: CommandContext) async throws(CommandFailure) -> ExitCode {
        let configuration = try context.configuration(arguments)
        let database = try await configuration.openCheckedDatabase()
        let now = context.clock.now()
        let status: FleetStatus
        let alerts: [OpenAlert]
        do throws(StoreFailure) {
            status = try await PostgresFleetReports(database: database).fleetStatus(at: now)
            alerts = try await PostgresAlertStore(database: database).open()
        } catch {
            throw .store(error)
        }
        let report = StatusReport(status, alerts: alerts, replacements: configuration.replacements, now: now)
        try context.print(arguments.has(.json) ? report.json : report.text)
        warnOfOverdue(status, context, now: now)
        let isWell = alerts.isEmpty && status.overdue == 0
        return arguments.has(check) && !isWell ? .attention : .success
    }

    /// A timer that no longer starts runs has nobody else to tell of it.
    private static func warnOfOverdue(_ status: FleetStatus, _ context: CommandContext, now: Instant) {
        guard status.overdue > 0 else { return }
        let lastRun = status.lastRunStart.map { "the last run began \(durationWords(now - $0)) ago" } ?? "none ever ran"
        context.warn(
            "expected no receipt due for over \(durationWords(AlertJudgement.lateAfter)), found \(status.overdue); "
                + lastRun,
            hint: RunHistory.questionOfRuns)
    }
}
