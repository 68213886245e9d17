import AppAttest
import ReceiptStore
import Refresh
import Reporting
import System

/// `attestwatch refresh`.
enum RefreshCommand {
    /// Rows of the run at most.
    static let limit = OptionSyntax("--limit", "N", "send at most so many receipts")
    /// Time of sending at most.
    static let maxDuration = OptionSyntax("--max-duration", "D", "send nothing more after this time, for instance 55m")
    /// Time for what is in flight after a request to stop.
    static let grace = OptionSyntax("--grace", "D", "once stopping, wait so long for answers (default 30s)")
    /// Counts and sends nothing.
    static let dryRun = OptionSyntax("--dry-run", nil, "only count what is due, and what waits to be taken in")
    /// Narrows by app.
    static let app = OptionSyntax("--app", "ID", "only this App ID")
    /// For cron, which mails what is printed.
    static let quiet = OptionSyntax("--quiet", nil, "print nothing but warnings and errors")
    /// Where events go.
    static let events = OptionSyntax(
        "--events", "FILE|-", "write one JSON object a receipt; with - the summary goes to standard error")

    /// A run opens about half as many: connections, event queues, journals. Where they run out in the middle, parts
    /// that are not ours, such as the timers, end the process.
    static let fewestDescriptors = 64

    /// The command line it takes.
    static let syntax = CommandSyntax(
        name: "refresh", operands: "", operandCount: 0...0,
        summary: "Send every due receipt once, and store what comes back.",
        details: """
            What back ends have handed over in SQL is taken in, some of it before the sending and the rest after it.
            Each answer is verified; the receipt, its reading and what it does to the device's flag are stored in one
            transaction a batch. Runs at the same time share the keys. SIGTERM and SIGINT end the run in good order:
            what is in flight comes back within --grace and is stored; a second one ends it at once, and what has been
            received is stored by the next run. Exit code 0: done; 1: done, and something needs a person (rows newly put
            aside or lost, answers that do not verify, receipts that were refused or not taken in, apps that are not
            configured, clocks minutes apart); 69: the data server served nothing, or kept failing; 73: the state folder
            or its journal cannot be used; 75: the database is away or refuses, and the next run goes on; 77: the data
            server refused the credential or every request, or its answers do not verify, and nobody was charged for it.
            """,
        options: [.config, limit, maxDuration, grace, dryRun, app, events, .json, quiet])

    /// Does the work; errors end the program with their exit code.
    static func run(_ arguments: ParsedArguments, _ context: CommandContext) async throws(CommandFailure) -> ExitCode {
        let bounds = try bounds(arguments)
        guard descriptorLimit() >= fewestDescriptors else {
            throw .descriptorsShort(expected: fewestDescriptors, found: descriptorLimit())
        }
        let configuration = try context.configuration(arguments)
        let options = try options(arguments, bounds, configuration)
        for concern in configuration.concerns { concern.print(context) }
        let journal = try journal(configuration, context)
        let sender = try configuration.dataServerClient(context)
        let verifier = try configuration.receiptVerifier()
        let database = try configuration.openDatabase()
        let eventsFile = try EventsFile(arguments.value(events), context)
        let witness = RefreshWitness(
            events: eventsFile.descriptor, context: context, isQuiet: arguments.has(quiet))
        let stopRequested = context.takeStopRequests()
        let run = RefreshRun(
            options: options, sender: sender, verifier: AnswerVerifier(verifier: verifier),
            store: PostgresRefreshStore(
                database: database, rules: configuration.storeRules, terms: configuration.lease,
                dataServers: configuration.dataServers.mapValues(\.url)),
            journal: journal,
            intake: SubmissionIntake(configuration, verifier: verifier, database: database, clock: context.clock),
            clock: context.clock,
            timer: MonotonicTimer(stopRequested: stopRequested), observer: witness,
            stopRequested: stopRequested)
        let chronicle = RunChronicle(
            history: PostgresRunHistory(database: database), alerts: PostgresAlertStore(database: database),
            retention: PostgresRetentionStore(database: database),
            file: configuration.stateDirectory(environment: context.environment).map(LastRunFile.init),
            paces: configuration.paces, verifier: verifier, context: context)
        var databaseSkew: Duration?
        do throws(StoreFailure) {
            try await run.retrying { () async throws(StoreFailure) in
                try await configuration.checkSchema(of: database)
            }
            if !options.dryRun { databaseSkew = try await chronicle.begin(run) }
        } catch {
            await journal?.close()
            throw .store(error)
        }
        let ending = await ending(of: run, chronicle, databaseSkew)
        await journal?.close()
        let report = RefreshReport(
            ending, replacements: configuration.replacements, isDryRun: options.dryRun, databaseSkew: databaseSkew)
        let eventsFailure = witness.finish()
        try report.print(
            arguments.has(quiet) ? .nothing : arguments.has(.json) ? .json : .text, context,
            besideEvents: arguments.value(events) == "-")
        if stopRequested() { context.warn("the run was asked to stop; what was not sent is still due") }
        if let eventsFailure { throw .outputFailed(eventsFailure) }
        return report.exitCode
    }

    /// Runs; what has to be written at the end of a run is part of it.
    private static func ending(
        of run: RefreshRun, _ chronicle: RunChronicle, _ databaseSkew: Duration?
    ) async -> Result<RunResult, RunFailure> {
        do throws(RunFailure) {
            let result = try await run.run()
            guard !run.options.dryRun else { return .success(result) }
            do throws(StoreFailure) {
                try await chronicle.end(run, result, databaseSkew: databaseSkew)
            } catch {
                throw RunFailure(cause: error, result: result)
            }
            return .success(result)
        } catch {
            return .failure(error)
        }
    }

    /// The journal in the state folder; without one, a warning and no journal.
    private static func journal(
        _ configuration: Configuration, _ context: CommandContext
    ) throws(CommandFailure) -> AnswerJournal? {
        guard let folder = configuration.stateDirectory(environment: context.environment) else {
            if let concern = StateDirectory.concern(nil) { context.warn(concern) }
            return nil
        }
        try StateDirectory.prepare(folder)
        do throws(SystemError) { return try AnswerJournal(folder: folder) } catch { throw .system(error) }
    }

    private struct Bounds {
        let limit: Int?
        let maxDuration: Duration?
        let grace: Duration?
    }

    /// What the command line alone says, so that a wrong one is told before anything is read.
    private static func bounds(
        _ arguments: ParsedArguments
    ) throws(CommandFailure) -> Bounds {
        do throws(UsageError) {
            let limit = try arguments.value(limit, as: "a whole number from 1") { text in
                Int(text).flatMap { $0 >= 1 ? $0 : nil }
            }
            let maxDuration = try duration(arguments, maxDuration)
            let grace = try duration(arguments, grace)
            _ = try arguments.value(app, as: "a configured App ID", AppID.init)
            if arguments.has(.json), arguments.has(quiet) { throw .conflict("--json", "--quiet") }
            return Bounds(limit: limit, maxDuration: maxDuration, grace: grace)
        } catch {
            throw .usage(error)
        }
    }

    private static func duration(
        _ arguments: ParsedArguments, _ option: OptionSyntax
    ) throws(UsageError) -> Duration? {
        try arguments.value(option, as: "a whole number from 1 and s, m, h or d") { text in
            DurationText.parse(text).flatMap { $0 > .zero ? $0 : nil }
        }
    }

    private static func options(
        _ arguments: ParsedArguments, _ bounds: Bounds, _ configuration: Configuration
    ) throws(CommandFailure) -> RefreshOptions {
        var options = RefreshOptions(teams: configuration.teams)
        options.keyIDs = configuration.keyIDs
        options.cadences = configuration.cadences
        options.paces = configuration.paces
        options.dryRun = arguments.has(dryRun)
        options.limit = bounds.limit
        options.maxDuration = bounds.maxDuration
        options.grace = bounds.grace ?? options.grace
        options.lease = configuration.lease
        do throws(UsageError) {
            options.app = try arguments.value(app, as: "a configured App ID") { text in
                configuration.apps.first { $0.appID.text == text }?.appID
            }
        } catch {
            throw .usage(error)
        }
        return options
    }
}

/// Where a run's events go; the file is closed when this goes out of scope.
private struct EventsFile: ~Copyable {
    /// What to write to; nil without events.
    let descriptor: FileDescriptor?
    private let file: OpenFile?

    /// Opens the file to append to; `-` is standard output.
    init(_ name: String?, _ context: CommandContext) throws(CommandFailure) {
        guard let name, name != "-" else {
            self.descriptor = name.map { _ in context.output }
            self.file = nil
            return
        }
        do throws(SystemError) {
            let file = try OpenFile.appending(name)
            self.descriptor = file.descriptor
            self.file = consume file
        } catch {
            throw .outputFailed(error)
        }
    }
}
