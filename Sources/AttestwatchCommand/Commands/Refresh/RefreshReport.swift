import AppAttest
import Refresh
import Reporting

/// What a run has come to, for people and for the exit code.
struct RefreshReport {
    private let result: RunResult
    private let cause: StoreFailure?
    private let replacements: [String]
    private let isDryRun: Bool
    private let isDatabaseClockOff: Bool

    /// A report on a run that came to its end, or that the store brought to one.
    ///
    /// - Parameter databaseSkew: the database's clock less ours; nil where they were not compared.
    init(
        _ ending: Result<RunResult, RunFailure>, replacements: [String], isDryRun: Bool, databaseSkew: Duration? = nil
    ) {
        switch ending {
        case .success(let result):
            self.result = result
            self.cause = nil
        case .failure(let failure):
            self.result = failure.result
            self.cause = failure.cause
        }
        self.replacements = replacements
        self.isDryRun = isDryRun
        self.isDatabaseClockOff = databaseSkew.map { $0.magnitude > AlertJudgement.gravestSkew } ?? false
    }

    /// The gravest of what has happened: the store, then the credential, then the data server, then single rows.
    var exitCode: ExitCode {
        if cause != nil { return .database }
        if result.journalFailure != nil { return .stateDirectory }
        if !result.refusedLanes.isEmpty { return .credentialRefused }
        if !serverFailures.isEmpty { return .dataServerUnavailable }
        let needsPerson =
            result.summary.quarantined > 0 || result.summary.lost > 0 || !clocksApart.isEmpty
            || result.summary.rejected > 0 || !result.replay.keptPaths.isEmpty || !result.refusals.isEmpty
            || result.hasConcern || isDatabaseClockOff
        return needsPerson ? .attention : .success
    }

    /// How the summary is printed.
    enum Form {
        /// A table for people; what is replaced stands in it.
        case text
        /// One object; what is replaced is a warning.
        case json
        /// Not at all.
        case nothing
    }

    /// Prints the summary, and on standard error what was replaced and what went wrong.
    func print(_ form: Form, _ context: CommandContext, besideEvents: Bool) throws(CommandFailure) {
        if let summary = summary(form) {
            if besideEvents {
                context.note(String(summary.dropLast()))
            } else {
                try context.print(summary)
            }
        }
        if form == .json { for line in replacements { context.warn("not Apple's: \(printable(line))") } }
        warn(context)
        reportFailures(context)
    }

    private func summary(_ form: Form) -> String? {
        switch form {
        case .text where isDryRun: dryRunText
        case .text: SummaryReport(result.summary, replacements: replacements).text
        case .json: SummaryReport(result.summary, replacements: []).json
        case .nothing: nil
        }
    }

    private var dryRunText: String {
        let pending = result.summary.pending
        return "\(result.summary.due) due, nothing sent (--dry-run)\n"
            + (pending > 0 ? "\(pending) handed over in SQL, none taken in\n" : "")
    }

    private var clocksApart: [(lane: Lane, difference: Duration)] {
        result.stoppedLanes.compactMap { lane, cause in
            switch cause {
            case .credentialRefused, .requestsRefused, .environmentRefused, .answersDoubted, .nothingFound: nil
            case .clocksApart(let difference): (lane, difference)
            }
        }
    }

    // Whether nothing at all was served: one server that is away beside one that answers is a warning.
    private var isUnavailable: Bool {
        !result.unavailable.isEmpty && result.served.isEmpty
    }

    // What is wrong with data servers: those that served nothing, where none served, and those that failed at the end.
    private var serverFailures: [OperatorFault.Words] {
        let silent = isUnavailable ? result.unavailable : [:]
        let later = result.outages.filter { silent[$0.key] == nil }
        let words = silent.sorted { $0.key.rawValue < $1.key.rawValue }.map { environment, word in
            OperatorFault.Words(
                "the data server for \(environment) answered nothing of use: \(printable(word))",
                hint: hintForUnavailableServer(word))
        }
        return words
            + later.sorted { $0.key.rawValue < $1.key.rawValue }.map { environment, word in
                OperatorFault.breakerOpen(environment, word: word).words
            }
    }

    private func warn(_ context: CommandContext) {
        if !isUnavailable {
            let silent = result.unavailable.filter { result.outages[$0.key] == nil }
            for (environment, word) in silent.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                context.warn("the data server for \(environment) answered nothing of use: \(printable(word))")
            }
        }
        for notice in result.allNotices {
            notice.print(context)
        }
        for (sqlState, count) in result.refusals.sorted(by: { $0.key < $1.key }) {
            context.warn(
                "the database refused \(count) outcomes for a value in them (SQLSTATE \(printable(sqlState))); "
                    + "what they stood for is not stored, and they are due again later")
        }
        if result.outdatedReadings > 0 {
            context.warn(
                "\(result.outdatedReadings) readings are older than retention.readings and were not kept; their "
                    + "receipts were")
        }
        if result.givenUp > 0 {
            context.warn(
                "\(result.givenUp) requests were not answered in the time that --grace gives; "
                    + "their receipts are still due")
        }
        if result.summary.quarantined > 0 {
            context.warn(
                "\(result.summary.quarantined) receipts wait for a person; 'attestwatch quarantine list' says why")
        }
        if result.summary.lost > 0 {
            context.warn(OperatorFault.receiptsLost(count: result.summary.lost).words.message)
        }
    }

    private var unsavedWords: String {
        guard result.unsaved > 0 else { return "" }
        let kept = result.journaled > 0 ? ", \(result.journaled) of them are in the journal" : ""
        return "; \(result.unsaved) outcomes were not stored\(kept)"
    }

    private func reportJournal(_ context: CommandContext) {
        switch result.journalFailure {
        case nil: return
        case .cannotWrite(let folder, let reason):
            let stored = cause == nil ? "; what was received is stored" : ""
            context.report(
                "cannot write the journal in \(folder): \(reason)\(stored)",
                hint: "nothing more was sent; the next run goes on as soon as the folder can be written to")
        case .cannotRead(let path, let reason):
            context.report(
                "cannot read the journal \(path): \(reason)",
                hint:
                    "nothing was sent; an earlier run has left answers there, to be stored once it is mended"
            )
        }
    }

    private func reportFailures(_ context: CommandContext) {
        if let cause {
            let failure = CommandFailure.store(cause)
            context.report(failure.message + unsavedWords, hint: failure.hint)
        }
        reportJournal(context)
        for lane in result.refusedLanes {
            guard let refusal = result.stoppedLanes[lane]?.refusal else { continue }
            context.report(
                "\(refusal.message) (team \(lane)\(lane.keys)); nobody was charged for it", hint: refusal.hint)
        }
        for (lane, difference) in clocksApart {
            let distance = durationWords(difference.magnitude)
            context.report(
                "expected a clock within a day of the data server's, found one \(distance) away (team \(lane))",
                hint: "set this machine's clock; nothing was stored from those answers")
        }
        for words in serverFailures { context.report(words.message, hint: words.hint) }
    }
}
