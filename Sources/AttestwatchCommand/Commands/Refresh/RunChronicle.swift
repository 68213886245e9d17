import AppAttest
import OpenSSL
import ReceiptStore
import Refresh
import System
import Verification

/// What ties a run to those before and after it: it tells what they have left, and leaves alerts and a note to them.
struct RunChronicle {
    /// The runs on record.
    let history: PostgresRunHistory
    /// The alerts.
    let alerts: PostgresAlertStore
    /// What is kept for how long, and the room for it.
    let retention: PostgresRetentionStore
    /// The note in the state folder; nil without one.
    let file: LastRunFile?
    /// The paces set.
    let paces: [Environment: Pace]
    /// The run's own verifier.
    let verifier: ReceiptVerifier
    /// Where to tell.
    let context: CommandContext

    /// Before the run: makes the partitions of the months to come, and tells of a database from before the last run
    /// here, of a pause since, and of a clock that is off.
    ///
    /// - Returns: the database's clock less the machine's.
    func begin(_ run: RefreshRun) async throws(StoreFailure) -> Duration {
        let content = file?.read() ?? .none
        let expected: RecordedRun? = if case .lastRun(let last) = content { last.run } else { nil }
        let now = context.clock.now()
        await makePartitions(at: now)
        let history = try await run.retrying { () async throws(StoreFailure) in
            // Real clocks are compared: the one handed in moves only what is about Apple's dates.
            try await self.history.read(expecting: expected, clock: SystemClock())
        }
        if let file, let notice = history.notice(remembering: content, in: file.path) {
            notice.print(context)
            // Said once: from here on this is what the state folder remembers.
            write(LastRun(birth: history.birth, run: history.latest))
        }
        if let lastRun = history.lastRunTime(remembering: content), now - lastRun > RunHistory.longestPause {
            let backlog = try await run.retrying { () async throws(StoreFailure) in
                try await self.history.backlog(at: now, since: lastRun)
            }
            backlog.notice(since: lastRun, now: now, paces: paces).print(context)
        }
        RunNotice.clocks(.databaseClockSkewed(by: history.clockSkew), apart: history.clockSkew)?.print(context)
        return history.clockSkew
    }

    /// Without them readings are kept in the default partition, so a run goes on.
    private func makePartitions(at now: Instant) async {
        do throws(StoreFailure) {
            _ = try await retention.makePartitions(at: now)
        } catch {
            let reason = CommandFailure.store(error).message
            context.warn("no partitions were made for the readings of months to come: \(reason)")
            context.note("hint: the next run tries again; until then their readings go into the default partition")
        }
    }

    /// After a run that came to its end: writes the alerts, and what the next run here is to remember.
    func end(_ run: RefreshRun, _ result: RunResult, databaseSkew: Duration?) async throws(StoreFailure) {
        let findings = RunFindings(
            result: result, options: run.options, certificates: Self.certificates(of: verifier),
            databaseSkew: databaseSkew)
        let now = context.clock.now()
        try await run.retrying { () async throws(StoreFailure) in
            try await alerts.settle(now: now) { facts in
                AlertChanges(AlertJudgement(of: findings, facts: facts, now: now))
            }
        }
        guard file != nil else { return }
        let history = try await run.retrying { () async throws(StoreFailure) in
            try await self.history.read(expecting: nil, clock: SystemClock())
        }
        write(LastRun(birth: history.birth, run: history.latest))
    }

    private func write(_ lastRun: LastRun) {
        guard let file else { return }
        do throws(SystemError) {
            try file.write(lastRun)
        } catch {
            context.warn("cannot write \(file.path): \(error.reason); it would show that a backup was restored")
        }
    }

    /// The signers of the answers that were judged, and the anchors.
    static func certificates(of verifier: ReceiptVerifier) -> [CertificateEnd] {
        let signers = verifier.signersOfAnswers.map { signer in
            CertificateEnd(
                role: .signer, name: signer.serial.description, time: Instant(seconds: signer.validity.upperBound))
        }
        let anchors = verifier.anchors.certificates.compactMap(\.facts).map { facts in
            CertificateEnd(role: .anchor, name: facts.subject, time: Instant(seconds: facts.notAfter))
        }
        return signers + anchors
    }
}
