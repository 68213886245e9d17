import AppAttest
import Refresh
import Reporting

extension RunNotice {
    /// What is said of two clocks; nil where they agree.
    static func clocks(_ fault: OperatorFault, apart skew: Duration) -> RunNotice? {
        let skew = ClockSkew(skew)
        guard skew.isTold else { return nil }
        return RunNotice(
            weight: skew.isGrave ? .error : .warning, message: fault.words.message, hint: fault.words.hint)
    }
}

extension RunResult {
    /// Whether somebody has to look at what single answers say, or at this machine's clock.
    package var hasConcern: Bool {
        concerns.needPerson || clockSkew.values.contains { ClockSkew($0).isGrave }
    }

    /// Everything that is to be said of a run that came to its end, in order.
    package var allNotices: [RunNotice] {
        replayNotices + throttleNotices + keyNotices + concernNotices + clockNotices + intakeNotices
    }

    /// What single answers say that somebody should know of: one notice a kind, however many there are.
    package var concernNotices: [RunNotice] {
        var notices: [RunNotice] = []
        func add(_ count: Int, _ message: String, hint: String) {
            guard count > 0 else { return }
            notices.append(RunNotice(weight: .warning, message: message, hint: hint))
        }
        let (doubtful, misplaced) = (concerns.notVerified.total, concerns.misplaced.total)
        add(
            doubtful, "expected answers that verify, found \(doubtful) that do not (\(concerns.notVerified.list))",
            hint: OperatorFault.doubtHint)
        add(
            misplaced,
            "expected newer receipts of the same keys, found \(misplaced) others (\(concerns.misplaced.list))",
            hint: OperatorFault.doubtHint)
        add(
            concerns.incorrectEnvironment,
            "the data server says of \(concerns.incorrectEnvironment) receipts that they belong to the other "
                + "environment (400)",
            hint: "are the data servers' URLs the right way round? if so, these rows are marked with the wrong "
                + "environment; nothing was sent to the other data server")
        add(
            concerns.badRequests, "the data server refused \(concerns.badRequests) receipts (400)",
            hint: "many at once: is the URL right, does something in between change the body or its content type, is "
                + "the signing key for this team? single ones may be damaged; --events names their keys")
        add(
            concerns.unauthorized,
            "the data server refused \(concerns.unauthorized) receipts (401, 403), and nothing else was due that could "
                + "show whether they or the credential are at fault",
            hint: "nobody was charged, they are tried again within six hours; is the key of this team, with the "
                + "DeviceCheck service, and not revoked?")
        add(
            concerns.notFound,
            "the data server answered 404 to \(concerns.notFound) receipts of keys attested lately, and has never "
                + "answered otherwise",
            hint: "is the URL right? they are tried again within six hours")
        let unsent = concerns.unconfigured.values.reduce(0, +)
        let apps = Dictionary(uniqueKeysWithValues: concerns.unconfigured.map { ($0.key.text, $0.value) })
        add(
            unsent, "\(unsent) receipts of apps that are not configured were held unsent (\(printable(apps.list)))",
            hint: "add these to \"apps\" in the configuration, or take --app")
        add(
            concerns.earlyAgain,
            "\(concerns.earlyAgain) receipts were answered with 304, too early, "
                + "\(Concerns.earliesInARow) times in a row or more",
            hint: "is this machine's clock right? they are tried again later")
        return notices
    }

    /// Signing keys that were refused where another one was taken: until one is taken out, the other may be revoked by
    /// mistake.
    package var keyNotices: [RunNotice] {
        refusedKeys.flatMap { lane, keyIDs in keyIDs.map { OperatorFault.keyRejected(lane, keyID: $0) } }
            .sorted { $0.name < $1.name }
            .map { RunNotice(weight: .warning, message: $0.words.message, hint: $0.words.hint) }
    }

    /// What came of the journals of earlier runs, where not all is well.
    package var replayNotices: [RunNotice] {
        var notices: [RunNotice] = []
        for damage in replay.damages {
            let what = damage.isTornTail ? "the journal ends in a write that was cut off" : "the journal is damaged"
            let kept = damage.isTornTail ? "" : "; it is kept"
            notices.append(
                RunNotice(
                    weight: .warning,
                    message: "\(what): \(damage.reason), dropped \(damage.dropped) bytes of \(damage.path)\(kept)",
                    hint: damage.isTornTail
                        ? "what was cut off had not been kept yet; its receipts are due again"
                        : "is the disk in order? everything before that place is stored"))
        }
        let unverified = replay.unverified.total
        if unverified > 0 {
            notices.append(
                RunNotice(
                    weight: .warning,
                    message: "expected journaled answers that verify, found \(unverified) that do not "
                        + "(\(replay.unverified.list)), kept in \(replay.keptPaths.joined(separator: ", "))",
                    hint: "nobody was charged, and none was stored; rename a file to end in .journal to have it judged "
                        + "once more, or remove it"))
        }
        if replay.refused > 0 {
            notices.append(
                RunNotice(
                    weight: .warning,
                    message: "expected journaled answers that the database takes, found \(replay.refused) that it "
                        + "refused again, kept in \(replay.keptPaths.joined(separator: ", "))",
                    hint: "they verify; once the cause is mended, rename a file to end in .journal to have it stored, "
                        + "or remove it"))
        }
        return notices
    }

    /// What the data servers' `Date` says of this machine's clock. Differences of more than a day stop lanes, which is
    /// told elsewhere.
    package var clockNotices: [RunNotice] {
        let stopped = Set(stoppedLanes.filter { $0.value.isClocksApart }.map(\.key.environment))
        return clockSkew.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { environment, skew in
            stopped.contains(environment) ? nil : .clocks(.clockSkewed(environment, by: skew), apart: skew)
        }
    }

    /// What a data server that only ever said 429 means.
    package var throttleNotices: [RunNotice] {
        let paused = pauses.sorted { $0.key.rawValue < $1.key.rawValue }.map { environment, pause in
            RunNotice(
                weight: .warning,
                message: "the data server for \(environment) wants to be left alone for \(durationWords(pause)) more "
                    + "(429, Retry-After)",
                hint: "what is due there stays due; a run after that sends it")
        }
        return paused
            + throttled.sorted { $0.rawValue < $1.rawValue }.map { environment in
                let words = OperatorFault.paceThrottled(environment).words
                return RunNotice(weight: .warning, message: words.message, hint: words.hint)
            }
    }
}

extension [String: Int] {
    /// The sum of all counts.
    var total: Int { values.reduce(0, +) }

    /// `chain 2, signature 40`, in alphabetical order.
    var list: String {
        sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
}
