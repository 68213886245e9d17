import AppAttest
import ReceiptStore
import Refresh
import Reporting

/// `attestwatch quarantine list|release|drop|recheck`.
enum QuarantineCommand {
    /// Narrows by reason.
    static let reason = OptionSyntax(
        "--reason", "REASON", "put aside for this: \(QuarantineReason.allCases.map(\.rawValue).joined(separator: ", "))"
    )
    /// Narrows by time.
    static let after = OptionSyntax("--after", "TIME", "put aside at this time or later; for recheck: received then")
    /// Narrows by time.
    static let before = OptionSyntax("--before", "TIME", "put aside before this time; for recheck: received before it")
    /// Narrows by app.
    static let app = OptionSyntax("--app", "ID", "only this App ID")
    /// Narrows by nothing.
    static let everything = OptionSyntax("--all", nil, "all there are")
    /// Shows what was given up too.
    static let dropped = OptionSyntax("--dropped", nil, "list what was dropped too")
    /// Changes nothing.
    static let dryRun = OptionSyntax("--dry-run", nil, "only count what would be released or dropped")

    /// The command line it takes.
    static let syntax = CommandSyntax(
        name: "quarantine", operands: "list|release|drop|recheck [KEY_ID...]", operandCount: 1...Int.max,
        summary: "Show and decide what waits for a person.",
        details: """
            list shows the keys that are put aside, what Apple said last, and what to do about each reason. release lets
            them be sent again, spread over an hour, with nothing charged to them. drop gives them up: the receipt is
            kept and not sent, answers kept of it go; a newer receipt of the key, or release with its KEY_ID, takes that
            back. recheck judges answers again that were not believed, of keys put aside or held, with the trust anchors
            and blocked signers of today, each at the time when it came: what verifies is stored, and its key is active.

            Keys are named one by one (base64, base64url or hexadecimal; -- before one that begins with a dash) or in
            bulk by the options, which narrow together. Only list goes without either. TIME is RFC 3339, or a date: its
            midnight in UTC. Exit code 0: done; 1: a key that was named is not put aside, or answers still do not
            verify.
            """,
        options: [.config, .json, reason, after, before, app, everything, dropped, dryRun])

    /// What is to be done.
    enum Action: String, CaseIterable, Sendable {
        case list, release, drop, recheck
    }

    /// Does the work; errors end the program with their exit code.
    static func run(_ arguments: ParsedArguments, _ context: CommandContext) async throws(CommandFailure) -> ExitCode {
        let action: Action
        let selection: QuarantineSelection
        do throws(UsageError) {
            action = try Self.action(arguments)
            selection = try QuarantineSelection(arguments, for: action)
        } catch {
            throw .usage(error)
        }
        let configuration = try context.configuration(arguments)
        let database = try await configuration.openCheckedDatabase()
        let desk = QuarantineDesk(
            selection: selection, store: PostgresQuarantineStore(database: database, rules: configuration.storeRules),
            arguments: arguments, context: context)
        switch action {
        case .list: return try await desk.list()
        case .release: return try await desk.release()
        case .drop: return try await desk.drop()
        case .recheck:
            return try await desk.recheck(
                Recheck(
                    verifier: AnswerVerifier(verifier: try configuration.receiptVerifier()), answers: desk.store,
                    store: PostgresRefreshStore(database: database, rules: configuration.storeRules),
                    cadences: configuration.cadences, clock: context.clock))
        }
    }

    /// The first operand, and whether the options go with it.
    private static func action(_ arguments: ParsedArguments) throws(UsageError) -> Action {
        let word = arguments.operands.first ?? ""
        guard let action = Action(rawValue: word) else {
            throw .badValue("quarantine", expected: "list, release, drop or recheck", found: word)
        }
        if arguments.has(dropped), action != .list { throw .conflict(word, dropped.name) }
        if arguments.has(dryRun), action != .release, action != .drop { throw .conflict(word, dryRun.name) }
        return action
    }
}
