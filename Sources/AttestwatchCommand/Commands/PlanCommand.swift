import AppAttest
import ReceiptStore
import Refresh
import Reporting

/// `attestwatch plan`.
enum PlanCommand {
    /// Tells by the exit code.
    static let check = OptionSyntax("--check", nil, "exit with 1 where the plan does not fit")
    /// How far ahead.
    static let days = OptionSyntax("--days", "N", "look so many days ahead, 1 to 365 (default 30)")
    /// Narrows by app.
    static let app = OptionSyntax("--app", "ID", "only the keys of this App ID; the budget stays that of all")

    /// The command line it takes.
    static let syntax = CommandSyntax(
        name: "plan", operands: "", operandCount: 0...0,
        summary: "Look ahead: calls a day needed, the budget for them, what is due, and what would be lost.",
        details: """
            The calls to come are forecast for the keys on record: each goes on as its cadence and receipt have it until
            30 days after the last attestation that is known of, then as quiet. Keys yet to come are not in it. With
            --check the exit code is 1 where more calls are needed than the pace allows, or receipts that are due
            expire before their turn.
            """,
        options: [.config, .json, check, days, app])

    /// Does the work; errors end the program with their exit code.
    static func run(_ arguments: ParsedArguments, _ context: CommandContext) async throws(CommandFailure) -> ExitCode {
        let (days, app) = try bounds(arguments)
        let configuration = try context.configuration(arguments)
        let store = PostgresFleetSurvey(database: try await configuration.openCheckedDatabase())
        let now = context.clock.now()
        let budgets = configuration.dataServers.mapValues(\.requestsPerSecond)
        let survey: FleetSurvey
        do throws(StoreFailure) {
            survey = try await store.survey(app: app, days: days, budgets: budgets, at: now)
        } catch {
            throw .store(error)
        }
        var random = SystemRandomNumberGenerator()
        let plan = FleetPlan(
            survey, cadences: configuration.cadences, budgets: budgets, now: now, days: days, using: &random)
        let report = PlanReport(
            plan, hosts: configuration.dataServers.mapValues(\.host), replacements: configuration.replacements)
        try context.print(arguments.has(.json) ? report.json : report.text)
        return arguments.has(check) && !plan.fits ? .attention : .success
    }

    private static func bounds(_ arguments: ParsedArguments) throws(CommandFailure) -> (days: Int, app: AppID?) {
        do throws(UsageError) {
            let days = try arguments.value(days, as: "a whole number from 1 to 365") { text in
                Int(text).flatMap { (1...365).contains($0) ? $0 : nil }
            }
            let app = try arguments.value(app, as: "an App ID such as A1B2C3D4E5.com.example.app", AppID.init)
            return (days ?? 30, app)
        } catch {
            throw .usage(error)
        }
    }
}
