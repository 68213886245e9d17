import AppAttest
import Postgres
import ReceiptStore
import Refresh
import System
import Verification

/// `attestwatch ingest FILE|-`.
enum IngestCommand {
    /// The command line it takes.
    static let syntax = CommandSyntax(
        name: "ingest", operands: "FILE|-", operandCount: 1...1,
        summary: "Take in keys and their receipts.",
        details: """
            FILE holds one JSON object a line, or CSV (RFC 4180) whose first line names the columns. Members or columns:
            app_id, key_id (base64 or hexadecimal) and receipt (base64 of any flavour, or hexadecimal behind \\x), and
            optionally environment, device_ref, user_ref and attested_time. Each receipt is verified as of its creation
            time; what is not taken in is told with its line and the reason. Taking in twice changes nothing.

            SIGTERM and SIGINT end it once what was read is stored. The same command goes on from there, and also where
            it was killed, by a file in the state folder; not so for standard input.

            Exit code 0: every row was taken in or known; 1: some were rejected, or it was asked to stop before the end;
            66: FILE cannot be read, its header is wrong, or a quote in it is not closed: what stands before is stored.
            """,
        options: [.config, .json] + IngestOptions.all)

    /// Does the work; errors end the program with their exit code.
    static func run(_ arguments: ParsedArguments, _ context: CommandContext) async throws(CommandFailure) -> ExitCode {
        let options = try IngestOptions(arguments)
        let input = try IngestInput(arguments.operands[0], context)
        let configuration = try context.configuration(arguments)
        try options.check(configuration)
        let stopRequested = context.takeStopRequests()
        var rows = try input.rows(options, stopRequested: stopRequested)
        let verifier = try configuration.receiptVerifier()
        let database = try await configuration.openCheckedDatabase()
        let bookmark = try await bookmark(input, rows.format, options, configuration, database, context)
        let rejects = try RejectLog(options.rejects, context)
        if options.restart { try? bookmark?.remove() }
        let before = try await place(in: bookmark, database, configuration.storeRules, context)
        rows = try input.rows(rows, at: before?.position ?? rows.position)
        if let before {
            context.note(
                "going on from line \(before.position.line): \(before.lines) rows were read before, of which "
                    + "\(before.rejected) were rejected (--restart begins anew)")
        }
        let parts = Ingest.Parts(
            inputName: input.descriptor.name,
            judge: IngestJudge(apps: configuration.apps, verifier: verifier, clock: context.clock),
            store: PostgresIntakeStore(database: database, rules: configuration.storeRules), options: options,
            context: context, stopRequested: stopRequested)
        var ingest = Ingest(
            rows, parts: parts, rejects: rejects, bookmark: bookmark, after: before, size: input.status?.size)
        let isComplete = try await ingest.run()
        let counts = ingest.counts
        try context.print(
            arguments.has(.json) ? counts.json(after: before, isComplete: isComplete) : counts.text)
        if counts.deviceRefsIgnored > 0 {
            context.warn("\(counts.deviceRefsIgnored) rows name another device_ref than the one on record")
        }
        if counts.readingsOutdated > 0 {
            context.warn(
                "\(counts.readingsOutdated) readings are older than retention.readings and were not kept; their "
                    + "receipts were")
        }
        if !isComplete {
            context.warn(
                bookmark == nil
                    ? "asked to stop before line \(ingest.end.line); the same command begins anew, and finds what is "
                        + "stored unchanged"
                    : "asked to stop before line \(ingest.end.line); the same command goes on from there")
        }
        return isComplete && counts.rejected + (before?.rejected ?? 0) == 0 ? .success : .attention
    }

    /// How far the file has been taken in; nil where it begins anew, as in a database that does not have what was
    /// stored last: it was restored from a backup, or is a copy from before.
    private static func place(
        in bookmark: IngestBookmarkFile?, _ database: Database, _ rules: StoreRules, _ context: CommandContext
    ) async throws(CommandFailure) -> IngestBookmark? {
        guard let before = bookmark?.read() else { return nil }
        guard let key = before.lastStored else { return before }
        let known: Set<KeyIdentifier>
        do throws(StoreFailure) {
            known = try await PostgresErasureStore(database: database, rules: rules).onRecord([key])
        } catch {
            throw .store(error)
        }
        if known.contains(key) { return before }
        context.warn("the database does not have what was stored last: all rows are read anew")
        return nil
    }

    /// Where to keep how far a file has been taken in; nil, with a warning, where that cannot be.
    private static func bookmark(
        _ input: borrowing IngestInput, _ format: IngestFormat, _ options: IngestOptions,
        _ configuration: Configuration, _ database: Database, _ context: CommandContext
    ) async throws(CommandFailure) -> IngestBookmarkFile? {
        guard let status = input.status else { return nil }
        guard let folder = configuration.stateDirectory(environment: context.environment) else {
            context.warn("no state_directory is set: should this be interrupted, it is to begin anew")
            return nil
        }
        do throws(CommandFailure) {
            try StateDirectory.prepare(folder)
        } catch {
            context.warn("\(error.message); should this be interrupted, it is to begin anew")
            return nil
        }
        let history: RunHistory
        do throws(StoreFailure) {
            history = try await PostgresRunHistory(database: database).read(expecting: nil, clock: context.clock)
        } catch {
            throw .store(error)
        }
        // A row that was rejected as of an app or environment that was not configured then is to be read again.
        let apps = configuration.apps.flatMap { app in
            [app.appID.text] + app.environments.keys.map(\.rawValue).sorted()
        }
        let terms = [format.rawValue, options.app?.text ?? "", options.environment?.rawValue ?? ""] + apps
        do throws(SystemError) {
            return try IngestBookmarkFile(
                folder: folder, of: input.descriptor, status, database: history.birth, terms: terms)
        } catch {
            throw .inputUnreadable(error)
        }
    }
}
