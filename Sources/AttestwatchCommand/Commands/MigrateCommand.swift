import Postgres
import ReceiptStore

/// `attestwatch migrate`.
enum MigrateCommand {
    private static let printRoles = OptionSyntax(
        "--print-roles", nil, "print the SQL that makes the roles, and do nothing else")

    /// The command line it takes.
    static let syntax = CommandSyntax(
        name: "migrate", operands: "", operandCount: 0...0,
        summary: "Bring the database's schema up to this program's.",
        details: """
            Applies the migrations that the database lacks, each in a transaction of its own. It can be run again and
            twice at once; an applied migration whose text has changed is an error. It needs a session of its own and so
            does not work through a pooler that pools by transaction: exit code 78.

            Each time it also makes the roles attestwatch_worker, attestwatch_backend and attestwatch_analyst where it
            may, and gives them their rights. Where it may not make roles it says so, prints what an administrator of
            the cluster has to run, and does the rest.
            """,
        options: [.config, printRoles])

    /// Does the work; errors end the program with their exit code.
    static func run(_ arguments: ParsedArguments, _ context: CommandContext) async throws(CommandFailure) -> ExitCode {
        if arguments.has(printRoles) {
            try context.print(String(decoding: Configuration.access.roles.text, as: UTF8.self))
            return .success
        }
        let configuration = try context.configuration(arguments)
        let migrator = Migrator(
            database: try configuration.openDatabase(), files: Configuration.migrations,
            access: Configuration.access)
        let result: Migrator.Result
        do throws(MigrationFailure) {
            result = try await migrator.migrate()
        } catch {
            throw .migration(error)
        }
        let lines = result.applied.map { "applied \($0)\n" }.joined()
        try context.print(lines.isEmpty ? "nothing to do, \(result.present.count) migrations are applied\n" : lines)
        if !result.missingRoles.isEmpty {
            let names = result.missingRoles.map(\.rawValue).joined(separator: ", ")
            context.warn("expected the roles \(names), found none, and this login may not make roles")
            context.note(
                "hint: have an administrator of the cluster run what is printed here (also by "
                    + "'attestwatch migrate --print-roles'), then run 'attestwatch migrate' again")
            try context.print(String(decoding: Configuration.access.roles.text, as: UTF8.self))
        }
        return .success
    }
}
