import ReceiptStore
import Refresh
import Reporting

/// `attestwatch status`.
enum StatusCommand {
    /// The command line it takes.
    static let syntax = CommandSyntax(
        name: "status", operands: "", operandCount: 0...0,
        summary: "Show how the fleet stands: fresh, quiet, due, overdue, the last run, and open alerts.",
        details: """
            Every key is counted once among unknown, fresh, quiet, stale, quarantined, dropped, retired and lost; due
            and overdue are counted beside that; pending and rejected are receipts that back ends have handed over in
            SQL. Alerts are faults of the service itself, each from the run that found
            it to the one that found it gone. What stands in the place of Apple's servers and roots is named at the end.
            """,
        options: [.config, .json])

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
        return .success
    }
}
