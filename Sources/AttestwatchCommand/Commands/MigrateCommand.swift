import Postgres
import ReceiptStore

/// `attestwatch migrate`.
enum MigrateCommand {
    /// The command line it takes.
    static let syntax = CommandSyntax(
        name: "migrate", operands: "", operandCount: 0...0,
        summary: "Bring the database's schema up to this program's.",
        details: """
            Applies the migrations that the database lacks, each in a transaction of its own. It can be run again and
            twice at once; an applied migration whose text has changed is an error. It needs a session of its own and so
            does not work through a pooler that pools by transaction: exit code 78.
            """,
        options: [.config])

    /// Does the work; errors end the program with their exit code.
    static func run(_ arguments: ParsedArguments, _ context: CommandContext) async throws(CommandFailure) -> ExitCode {
        let configuration = try context.configuration(arguments)
        let migrator = Migrator(
            database: try configuration.openDatabase(),
            files: Configuration.migrations)
        let result: Migrator.Result
        do throws(MigrationFailure) {
            result = try await migrator.migrate()
        } catch {
            throw .migration(error)
        }
        let lines = result.applied.map { "applied \($0)\n" }.joined()
        try context.print(lines.isEmpty ? "nothing to do, \(result.present.count) migrations are applied\n" : lines)
        return .success
    }
}
