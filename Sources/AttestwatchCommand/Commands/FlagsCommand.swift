import AppAttest
import ReceiptStore
import Refresh
import Reporting
import Risk

/// `attestwatch flags [list]`.
enum FlagsCommand {
    /// CSV in the place of the table.
    static let csv = OptionSyntax("--csv", nil, "print CSV (RFC 4180); texts that look like formulas get an apostrophe")
    /// Narrows by level.
    static let level = OptionSyntax("--level", "LEVEL", "only this level and above: watch, review or high")
    /// Narrows by app.
    static let app = OptionSyntax("--app", "ID", "only this App ID")

    /// The command line it takes.
    static let syntax = CommandSyntax(
        name: "flags", operands: "[list]", operandCount: 0...1,
        summary: "List the flagged devices.",
        details: """
            A device is flagged while its number of attested keys in 30 days is above a threshold of its app. A flag is
            a reason to look closer, never to lock anybody out. The highest level comes first.
            """,
        options: [.config, .json, csv, level, app])

    /// Does the work; errors end the program with their exit code.
    static func run(_ arguments: ParsedArguments, _ context: CommandContext) async throws(CommandFailure) -> ExitCode {
        let filter = try filter(arguments)
        let configuration = try context.configuration(arguments)
        let reports = PostgresFleetReports(database: try await configuration.openCheckedDatabase())
        let devices: [FlaggedDevice]
        do throws(StoreFailure) {
            devices = try await reports.flaggedDevices(filter, at: context.clock.now())
        } catch {
            throw .store(error)
        }
        if arguments.has(.json) {
            try context.print(FlagReport.jsonLines(devices))
        } else if arguments.has(csv) {
            try context.print(FlagReport.csv(devices))
        } else {
            try context.print(FlagReport.table(devices))
        }
        return .success
    }

    private static func filter(_ arguments: ParsedArguments) throws(CommandFailure) -> FlaggedFilter {
        do throws(UsageError) {
            if let word = arguments.operands.first, word != "list" {
                throw UsageError.badValue("flags", expected: "list or nothing", found: word)
            }
            if arguments.has(.json), arguments.has(csv) {
                throw UsageError.conflict(OptionSyntax.json.name, csv.name)
            }
            return FlaggedFilter(
                app: try arguments.value(app, as: "an App ID such as A1B2C3D4E5.com.example.app", AppID.init),
                minimumLevel: try arguments.value(level, as: "watch, review or high", FlagLevel.init(rawValue:))
                    ?? .watch)
        } catch {
            throw .usage(error)
        }
    }
}
