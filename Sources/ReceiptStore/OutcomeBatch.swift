import AppAttest
import Postgres
import Refresh
import Risk

/// A batch of outcomes on its way into the tables: lock, merge, assess, schedule. Each key at most once.
struct OutcomeBatch: Sendable {
    /// What became of the receipts that were sent.
    let outcomes: [Outcome]
    /// Thresholds and cadences.
    let rules: StoreRules
    /// How long leases last.
    let terms: LeaseTerms
    /// The URL of each data server.
    let dataServers: [Environment: String]
    /// The present time by the run's clock.
    let now: Instant

    /// Stores the batch in the transaction that is open; the results are in the order of `outcomes`.
    func store(on connection: borrowing Connection) throws(PostgresError) -> [StoredOutcome] {
        let locked = try connection.lockShards(outcomes.map(\.due.schedule.shard))
        try locked.renew(Set(outcomes.compactMap(\.token)), terms: terms, on: connection)
        let answers = outcomes.compactMap(\.answer)
        let merged = try ReceiptMerge.merge(
            answers, now: now, keepingFrom: rules.oldestReading(at: now), on: connection)
        let standings = try KeyStanding.read(outcomes.map(\.due.keyID), now: now, on: connection)
        let assessment = try SubjectAssessment(
            of: answers.filter { $0.payload.riskMetric != nil }.map(\.keyID), standings: standings, rules: rules,
            now: now, on: connection)
        var writes: [ScheduleWrite] = []
        let stored = outcomes.map { outcome in
            let keyID = outcome.due.keyID
            let isHeld = locked.isHeld(outcome.due.schedule.shard, by: outcome.token)
            let word = outcome.word(replaced: merged.replaced.contains(keyID), isHeld: isHeld)
            let standing = standings[keyID]
            let row = standing.flatMap {
                scheduleRow(of: outcome, word: word, standing: $0, assessment: assessment, isHeld: isHeld)
            }
            if let row { writes.append(ScheduleWrite(keyID: keyID, row: row, reply: outcome.reply)) }
            return StoredOutcome(
                keyID: keyID, word: word, flagChange: assessment.changes[keyID] ?? .unchanged,
                dueTime: standing == nil ? nil : row?.dueTime ?? standing?.dueTime,
                isTokenChanged: merged.tokenChanged.contains(keyID), isFenced: outcome.token != nil && !isHeld,
                isReadingOutdated: merged.outdated.contains(keyID))
        }
        try ScheduleWrite.write(writes, on: connection)
        try SpeakingKeys.choose(after: standings.values, on: connection)
        try KeptAnswers.keep(outcomes, now: now, on: connection)
        try noteAnswered(on: connection)
        return stored
    }

    /// Remembers which data servers have shown that they are.
    private func noteAnswered(on connection: borrowing Connection) throws(PostgresError) {
        let answered = Set(outcomes.filter(\.showsDataServer).map(\.due.environment)).compactMap { dataServers[$0] }
        if !answered.isEmpty { try connection.run(.noteAnswered, [.texts(answered.sorted()), .time(now)]) }
    }

    /// The schedule row that an outcome leaves; nil where the row stands as it is.
    ///
    /// A receipt that went in brings its own plan, whoever brought it: under the old one's it would be sent before its
    /// not-before. For all else the lease must be held, and the row must be as it was claimed: if not, it was
    /// replaced, or another run or an intake has had its say, and theirs stands.
    private func scheduleRow(
        of outcome: Outcome, word: OutcomeWord, standing: KeyStanding, assessment: SubjectAssessment, isHeld: Bool
    ) -> ScheduleRow? {
        let flagged = assessment.flagged.contains(standing.subject)
        let isReader = standing.isReader(flagged: flagged)
        let claimed = outcome.due.schedule
        let isAsClaimed = isHeld && standing.dueTime == claimed.dueTime && standing.state == claimed.state
        switch outcome.ending {
        case .kept(var row):
            guard isAsClaimed, standing.digest == outcome.due.receiptDigest else { return nil }
            if !isReader, row.rank != .expiring { row.rank = .background }
            return row
        case .answered:
            guard word == .replaced || isAsClaimed else { return nil }
            let plan = rules.plan(
                standing.dates, of: standing.app.appID,
                standing: Standing(state: .active, flagged: flagged, newestKey: isReader),
                flaggedSubjects: assessment.flagCounts[standing.app.appID] ?? 0, now: now)
            return ScheduleRow(
                shard: outcome.due.schedule.shard, rank: plan.rank, dueTime: plan.dueTime, lastOutcome: word,
                lastOutcomeTime: now)
        }
    }
}

extension Outcome {
    /// The verified answer, where there is one.
    fileprivate var answer: VerifiedReceipt? {
        switch ending {
        case .answered(let receipt): receipt
        case .kept: nil
        }
    }

    /// Whether nobody but a data server of Apple's, or what stands in its place, gives such an answer.
    fileprivate var showsDataServer: Bool {
        switch ending {
        case .answered: true
        case .kept(let row): row.lastOutcome == .early
        }
    }

    fileprivate func word(replaced: Bool, isHeld: Bool) -> OutcomeWord {
        switch ending {
        case .answered: replaced ? .replaced : .superseded
        case .kept(let row): isHeld ? row.lastOutcome ?? .failed : .superseded
        }
    }
}
