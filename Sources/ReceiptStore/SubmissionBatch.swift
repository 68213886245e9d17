import AppAttest
import Postgres
import Refresh

/// A batch of submissions on its way in: hold those that still wait, store what verifies, and take all of them out of
/// the intake. Each key at most once.
struct SubmissionBatch: Sendable {
    /// What was found of each.
    let judged: [JudgedSubmission]
    /// For the receipts that are stored.
    let rules: StoreRules
    /// How a back end is told what the store has against a receipt.
    let words: @Sendable (IntakeRejection) -> SubmissionRejection
    /// The run's time.
    let now: Instant

    /// One submission and what became of it.
    struct Settled: Sendable {
        /// The submission.
        let submission: JudgedSubmission
        /// What became of it.
        let outcome: SubmissionOutcome
        /// Whether the outcome is in the database.
        let isStored: Bool

        /// Puts the parts together.
        init(_ submission: JudgedSubmission, _ outcome: SubmissionOutcome, isStored: Bool = true) {
            self.submission = submission
            self.outcome = outcome
            self.isStored = isStored
        }
    }

    /// Does it in the open transaction; the results are in the order of `judged`.
    func settle(on connection: borrowing Connection) throws(PostgresError) -> [Settled] {
        try connection.planForBatch()
        let numbers = judged.map { Optional(Int($0.submitted.number)) }
        let held: Set<Int64> = Set(
            try connection.all(.lockPending, [.ints(numbers)]) { rows throws(PostgresError) in try rows.read() })
        let stored = try store(judged.filter { held.contains($0.submitted.number) }, on: connection)
        let settled = judged.map { submission in
            Settled(submission, outcome(of: submission, isHeld: held.contains(submission.submitted.number), stored))
        }
        try Self.reject(settled, now: now, on: connection)
        try takeOut(settled, on: connection)
        try leave(judged.filter { held.contains($0.submitted.number) }, on: connection)
        return settled
    }

    /// Stores what verifies; gives the outcomes by key.
    private func store(
        _ held: [JudgedSubmission], on connection: borrowing Connection
    ) throws(PostgresError) -> [KeyIdentifier: IntakeOutcome] {
        let intakes = held.compactMap { submission in
            if case .accepted(let intake) = submission.judgement { intake } else { nil }
        }
        guard !intakes.isEmpty else { return [:] }
        let submissions = Dictionary(
            held.map { ($0.submitted.keyID, $0.submitted) }, uniquingKeysWith: { first, _ in first })
        let outcomes = try IntakeBatch(intakes, of: submissions, rules: rules, now: now, on: connection)
            .store(on: connection)
        return Dictionary(outcomes.map { ($0.keyID, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private func outcome(
        of submission: JudgedSubmission, isHeld: Bool, _ stored: [KeyIdentifier: IntakeOutcome]
    ) -> SubmissionOutcome {
        guard isHeld else { return .gone }
        switch submission.judgement {
        case .accepted: break
        case .rejected(let rejection): return .rejected(rejection)
        case .elsewhere: return .waits
        }
        guard let outcome = stored[submission.submitted.keyID] else { return .gone }
        if case .rejected(let rejection) = outcome.result { return .rejected(words(rejection)) }
        return .takenIn(outcome)
    }

    private func takeOut(_ settled: [Settled], on connection: borrowing Connection) throws(PostgresError) {
        var (takenIn, ofKnownKeys) = ([SubmittedReceipt](), [SubmittedReceipt]())
        for one in settled {
            guard case .takenIn(let outcome) = one.outcome else { continue }
            takenIn.append(one.submission.submitted)
            if outcome.result != .takenIn { ofKnownKeys.append(one.submission.submitted) }
        }
        guard !takenIn.isEmpty else { return }
        if !ofKnownKeys.isEmpty {
            let parameters: [Parameter] = [
                .keyIDs(ofKnownKeys.map(\.keyID)), .times(ofKnownKeys.map(\.submittedTime)),
                .bytesArray(ofKnownKeys.map(\.digest.bytes)), .time(now),
            ]
            try connection.run(.noteSubmissions, parameters)
        }
        try connection.run(.removePending, [.ints(takenIn.map { Int($0.number) })])
    }

    /// Notes the environments of those that are for other workers, so that this one need not look at them again.
    private func leave(_ held: [JudgedSubmission], on connection: borrowing Connection) throws(PostgresError) {
        var numbers: [Int?] = []
        var environments: [Environment] = []
        for submission in held {
            guard case .elsewhere(let environment) = submission.judgement else { continue }
            numbers.append(Int(submission.submitted.number))
            environments.append(environment)
        }
        guard !numbers.isEmpty else { return }
        try connection.run(.nameEnvironments, [.ints(numbers), .words(environments)])
    }

    /// Moves those that were rejected from the intake to what was rejected; one that does not wait any more is none.
    static func reject(
        _ settled: [Settled], now: Instant, on connection: borrowing Connection
    ) throws(PostgresError) {
        var numbers: [Int?] = []
        var rejections: [SubmissionRejection] = []
        for one in settled {
            guard case .rejected(let rejection) = one.outcome else { continue }
            numbers.append(Int(one.submission.submitted.number))
            rejections.append(rejection)
        }
        guard !rejections.isEmpty else { return }
        let parameters: [Parameter] = [
            .ints(numbers), .texts(rejections.map(\.reason)), .texts(rejections.map(\.boundedDetail)), .time(now),
        ]
        try connection.run(.rejectPending, parameters)
    }
}

extension SubmissionRejection {
    /// As much of the detail as the table takes.
    fileprivate var boundedDetail: String {
        String(String.UnicodeScalarView(detail.unicodeScalars.prefix(500)))
    }
}
