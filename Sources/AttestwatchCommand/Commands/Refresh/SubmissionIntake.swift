import AppAttest
import Postgres
import ReceiptStore
import Refresh
import Reporting
import Verification

/// Takes in what back ends have handed over in SQL, by the rule by which `ingest` takes in its lines.
struct SubmissionIntake: IntakeTaking {
    // As many as `ingest` takes in at a time; of the largest size they are 24 MB.
    private static let batchSize = 250

    private let environments: [AppID: Set<Environment>]
    private let judge: IngestJudge
    private let store: PostgresSubmissionStore

    /// Joins the judge and the store of a configuration.
    init(_ configuration: Configuration, verifier: ReceiptVerifier, database: Database, clock: any WallClock) {
        environments = Dictionary(
            configuration.apps.map { ($0.appID, Set($0.environments.keys)) }, uniquingKeysWith: { first, _ in first })
        judge = IngestJudge(apps: configuration.apps, verifier: verifier, clock: clock)
        store = PostgresSubmissionStore(
            database: database, rules: configuration.storeRules,
            words: { SubmissionRejection(IngestRejection.store($0)) })
    }

    func newest() async throws(StoreFailure) -> Int64 { try await store.newest() }

    func takeIn(
        _ queue: IntakeQueue, after: Int64, through: Int64, now: Instant
    ) async throws(StoreFailure) -> IntakeStep {
        let pending = try await store.pending(
            queue, in: environments[queue.app] ?? [], after: after, through: through, limit: Self.batchSize)
        var step = IntakeStep()
        guard let last = pending.last else { return step }
        step.last = last.number
        let judged = pending.map { JudgedSubmission(submitted: $0, judgement: judgement(of: $0)) }
        for outcome in try await store.settle(judged, now: now) { step.count(outcome) }
        return step
    }

    func waiting(now: Instant) async throws(StoreFailure) -> [WaitingIntake] {
        let environments = environments
        return try await store.waiting(
            lateBefore: now - AlertJudgement.submissionLateAfter,
            isConfigured: { app, environment in
                guard let accepted = environments[app] else { return false }
                return environment.map(accepted.contains) ?? true
            })
    }

    private func judgement(of submitted: SubmittedReceipt) -> JudgedSubmission.Judgement {
        do throws(IngestRejection) {
            var intake = try judge.judge(try IngestLine(submitted), isAnyEnvironment: true)
            intake.spread = submitted.spread
            // What the back end leaves to the receipt may be another worker's, as what it names may.
            let environment = intake.receipt.payload.environment
            guard environments[submitted.appID]?.contains(environment) == true else { return .elsewhere(environment) }
            return .accepted(intake)
        } catch {
            return .rejected(SubmissionRejection(error))
        }
    }
}

extension IntakeStep {
    fileprivate mutating func count(_ outcome: SubmissionOutcome) {
        switch outcome {
        case .takenIn(let outcome):
            takenIn += 1
            if outcome.isDeviceRefIgnored { deviceRefsIgnored += 1 }
            if outcome.isReadingOutdated { readingsOutdated += 1 }
            flagChanges.append(outcome.flagChange)
        case .rejected: rejected += 1
        case .waits, .gone: break
        }
    }
}

extension IngestLine {
    /// What a back end handed over in place of a line.
    fileprivate init(_ submitted: SubmittedReceipt) throws(IngestRejection) {
        appID = submitted.appID
        keyID = submitted.keyID
        do throws(ReceiptError) {
            receipt = try ReceiptBytes(anyFlavour: submitted.receipt.bytes)
        } catch {
            throw .receipt(error)
        }
        environment = submitted.environment
        deviceRef = submitted.deviceRef
        userRef = submitted.userRef
        attestedTime = submitted.attestedTime
    }
}

extension SubmissionRejection {
    /// What is said of a line, said to a back end.
    fileprivate init(_ rejection: IngestRejection) {
        self.init(reason: rejection.word, detail: printable(rejection.description))
    }
}
