/// A subcommand: what it takes, and what it does.
struct Subcommand: Sendable {
    /// What may follow its name.
    let syntax: CommandSyntax
    /// Does the work; the exit code says whether something needs a person.
    let run: @Sendable (ParsedArguments, CommandContext) async throws(CommandFailure) -> ExitCode

    /// Every subcommand, in the order of the help text.
    static let all: [Subcommand] = [
        Subcommand(syntax: InspectCommand.syntax, run: InspectCommand.run),
        Subcommand(syntax: MigrateCommand.syntax, run: MigrateCommand.run),
        Subcommand(syntax: IngestCommand.syntax, run: IngestCommand.run),
        Subcommand(syntax: RefreshCommand.syntax, run: RefreshCommand.run),
        Subcommand(syntax: FlagsCommand.syntax, run: FlagsCommand.run),
        Subcommand(syntax: StatusCommand.syntax, run: StatusCommand.run),
        Subcommand(syntax: ExplainCommand.syntax, run: ExplainCommand.run),
        Subcommand(syntax: DoctorCommand.syntax, run: DoctorCommand.run),
        Subcommand(syntax: QuarantineCommand.syntax, run: QuarantineCommand.run),
        Subcommand(syntax: PlanCommand.syntax, run: PlanCommand.run),
        Subcommand(syntax: ForgetCommand.syntax, run: ForgetCommand.run),
        Subcommand(syntax: PruneCommand.syntax, run: PruneCommand.run),
        Subcommand(syntax: ConfigCommand.syntax, run: ConfigCommand.run),
    ]

    /// The subcommand of a name.
    static func named(_ name: String) throws(CommandFailure) -> Subcommand {
        for command in all where command.syntax.name == name { return command }
        let names = all.map(\.syntax.name) + ["help"]
        throw .usage(.unknownSubcommand(name, nearest: nearestWord(to: name, among: names)))
    }
}
