import AppAttest
import ReceiptStore
import Refresh
import Reporting

/// `attestwatch forget`.
enum ForgetCommand {
    /// Whose keys.
    static let user = OptionSyntax("--user-ref", "REF", "all keys of the user that the back end calls so")
    /// Which device's keys.
    static let device = OptionSyntax("--device-ref", "REF", "all keys of the device that the back end calls so")
    /// Which key.
    static let key = OptionSyntax("--key-id", "KEY_ID", "one key, in base64, base64url or hexadecimal")
    /// Narrows by app.
    static let app = OptionSyntax("--app", "ID", "only what this App ID has of them")
    /// Changes nothing.
    static let dryRun = OptionSyntax("--dry-run", nil, "only count what would go")

    /// The command line it takes.
    static let syntax = CommandSyntax(
        name: "forget", operands: "", operandCount: 0...0,
        summary: "Erase all that is known of a user, a device or a key.",
        details: """
            In one transaction keys, receipts, readings, kept answers, and what was handed over and not taken in or was
            refused, go. Flags stay for the record, without anything that leads back: one whose device has no key left
            is closed with the event 'erased'; that of a device that has others stays with it. Then this machine's
            journals lose all entries of keys that are not on record; no journal puts an erased key back, here or
            elsewhere. On other machines with a state folder the same command, run again, takes it out there.

            Exactly one of --user-ref, --device-ref and --key-id. Exit code 0: nothing of it is on record now, be it
            that nothing ever was, so it can be run twice; 1: done, but for a journal that a run is still writing (run
            it again when that has ended), one that cannot be read, which is for a person to delete, or all of them, as
            no state folder is known to look in; 75: nothing was erased, or the journals not to their end: run it again.
            What it does not reach: backups, files that were taken in or that --events wrote, and logs.
            """,
        options: [.config, .json, user, device, key, app, dryRun])

    /// Does the work; errors end the program with their exit code.
    static func run(_ arguments: ParsedArguments, _ context: CommandContext) async throws(CommandFailure) -> ExitCode {
        let selection: ErasureSelection
        do throws(UsageError) { selection = try ErasureSelection(arguments) } catch { throw .usage(error) }
        let configuration = try context.configuration(arguments)
        let database = try await configuration.openCheckedDatabase()
        let store = PostgresErasureStore(database: database, rules: configuration.storeRules)
        let (isDryRun, now) = (arguments.has(dryRun), context.clock.now())
        let erasure: Erasure
        do throws(StoreFailure) {
            erasure =
                isDryRun
                ? try await store.rehearse(selection, now: now) : try await store.erase(selection, now: now)
        } catch {
            throw .store(error)
        }
        var journals: JournalErasure.Result?
        if let folder = configuration.stateDirectory(environment: context.environment) {
            journals = try await JournalErasure(
                folder: folder, store: store, rehearsed: isDryRun ? erasure.keys : nil
            ).run()
        }
        let report = ErasureReport(erasure.counts, journalEntries: journals?.entries ?? 0, isDryRun: isDryRun)
        try context.print(arguments.has(.json) ? report.json : report.text)
        if let journals { return journals.tell(context) }
        context.warn("no state_directory is set: journals of runs on this machine may still hold what was erased")
        context.note(
            "hint: run the same command again with state_directory, or STATE_DIRECTORY in the environment, naming the "
                + "folder that runs here use; where they use none, nothing is left to do")
        return .attention
    }
}

extension JournalErasure.Result {
    /// Names the journals that may still hold what was to go.
    fileprivate func tell(_ context: CommandContext) -> ExitCode {
        for path in held {
            context.warn("a run is writing the journal \(path), which was left alone")
            context.note(
                "hint: run the same command again when that run has ended; nothing in it puts an erased key back")
        }
        for journal in unread {
            context.warn("the journal \(journal.path) may still hold what was erased: \(journal.reason)")
            context.note("hint: delete it once nothing else in it is needed; nothing in it puts an erased key back")
        }
        return unread.isEmpty && held.isEmpty ? .success : .attention
    }
}

extension ErasureSelection {
    /// What the options select.
    fileprivate init(_ arguments: ParsedArguments) throws(UsageError) {
        let (user, device, key) = (ForgetCommand.user, ForgetCommand.device, ForgetCommand.key)
        let given = [user, device, key].filter { arguments.value($0) != nil }.map(\.name)
        if given.count > 1 { throw .conflict(given[0], given[1]) }
        let app = try arguments.value(
            ForgetCommand.app, as: "an App ID such as A1B2C3D4E5.com.example.app", AppID.init)
        func reference(_ option: OptionSyntax) throws(UsageError) -> String? {
            try arguments.value(option, as: "a reference of 1 to 512 bytes") { text in
                (1...512).contains(text.utf8.count) ? text : nil
            }
        }
        if let reference = try reference(user) {
            self.init(name: .user(reference), app: app)
        } else if let reference = try reference(device) {
            self.init(name: .device(reference), app: app)
        } else if let keyID = try arguments.value(key, as: KeyIdentifierText.expected, KeyIdentifierText.parse) {
            self.init(name: .key(keyID), app: app)
        } else {
            throw .missingOperand("one of \(user.name), \(device.name) and \(key.name)", of: "forget")
        }
    }
}
