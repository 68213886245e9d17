import AppAttest
import Refresh
import Reporting

extension RunHistory {
    /// What to ask where runs seem not to take place.
    static let questionOfRuns =
        "does something start attestwatch refresh every few minutes, and has it time enough to end?"
    /// From this on without a run somebody has to know.
    static let longestPause: Duration = .hours(24)

    /// What the database is beside what the state folder remembers of it; nil where nothing is to be said.
    ///
    /// - Parameter path: of the file that remembers.
    func notice(remembering content: LastRunFile.Content, in path: String) -> RunNotice? {
        switch content {
        case .none: return nil
        case .damaged(let reason):
            return RunNotice(
                weight: .warning, message: "\(path) cannot be read: \(reason)",
                hint: "it would show whether the database was restored from a backup; it is written anew")
        case .lastRun(let last) where last.birth != birth:
            return RunNotice(
                weight: .warning,
                message: "expected the database made at \(last.birth.secondsText), as \(path) says, found one made at "
                    + birth.secondsText,
                hint: "a state folder belongs to one database: is \"database\" the one that is meant?")
        case .lastRun(let last):
            guard let run = last.run, !hasExpected else { return nil }
            let found = latest.map { "the latest is run \($0.number) of \($0.startTime.secondsText)" } ?? "it has none"
            return RunNotice(
                weight: .warning,
                message: "the database is from before run \(run.number) of \(run.startTime.secondsText), which ended "
                    + "here: \(found)",
                hint: "was it restored from a backup? receipts replaced since are asked for again, and what the "
                    + "journal has is stored; flags, reviews and quarantine decisions since are gone, and so are "
                    + "keys: hand them over again with attestwatch ingest")
        }
    }

    /// When the last run began that came to its end, as far as the database or the state folder knows.
    func lastRunTime(remembering content: LastRunFile.Content) -> Instant? {
        guard case .lastRun(let last) = content, last.birth == birth, let time = last.run?.startTime else {
            return lastEnded?.startTime
        }
        return lastEnded.map { max($0.startTime, time) } ?? time
    }
}

extension [Environment: Backlog] {
    /// What has come together while nothing ran.
    ///
    /// - Parameters:
    ///   - lastRun: when the last run began that came to its end.
    ///   - paces: what the configuration allows.
    func notice(since lastRun: Instant, now: Instant, paces: [Environment: Pace]) -> RunNotice {
        let due = values.reduce(0) { $0 + $1.due }
        let soon = values.reduce(0) { $0 + $1.expiringSoon }
        let expired = values.reduce(0) { $0 + $1.expired }
        // Data servers are asked side by side.
        let seconds = map { Double($0.value.due) / (paces[$0.key] ?? .standard).requestsPerSecond }.max() ?? 0
        let time = durationWords(.seconds(seconds.rounded(.up)))
        let end = expired > 0 ? ", and \(expired) have expired since while data was expected" : ""
        return RunNotice(
            weight: .warning,
            message: "no run has come to its end for \(durationWords(now - lastRun)), since that of "
                + "\(lastRun.secondsText): \(due) receipts are due, which takes \(time) at the pace set; "
                + "\(soon) of them expire within \(durationWords(Backlog.soon))\(end)",
            hint: "\(RunHistory.questionOfRuns) this run sends first what expires first")
    }
}
