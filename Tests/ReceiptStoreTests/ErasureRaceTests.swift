import AppAttest
import Postgres
import ReceiptStore
import Refresh
import Synchronization
import Testing

/// Erases while others have something of the key in their hands.
@Suite("Erasure while others are at work")
struct ErasureRaceTests {
    private static let noon = start + .days(1)
    private static let tables = [
        "attested_key", "receipt", "schedule", "metric_reading", "kept_answer", "flag", "flag_event",
    ]

    private func erase(_ number: Int, _ stores: Stores) async throws(StoreFailure) -> Erasure {
        let database: Database
        do { database = try Database(stores.test.conninfo) } catch { throw .unavailable(message: "\(error)") }
        let erasure = PostgresErasureStore(database: database, rules: StoreRules(random: SplitMix(state: 3)))
        return try await erasure.erase(ErasureSelection(name: .key(key(number))), now: Self.noon)
    }

    /// The tables that have a row of any key but the second.
    private func tablesLeft(_ stores: Stores) async throws -> [String] {
        var left: [String] = []
        for table in Self.tables {
            let count = "SELECT count(*) FROM attestwatch.\(table) t WHERE t::text LIKE '%00000001%'"
            if try await stores.number(count) > 0 { left.append(table) }
        }
        return left
    }

    enum Ending: CaseIterable, Sendable { case believed, doubted, quiet }

    @Test("what a run has in its hands of an erased key is stored nowhere", arguments: Ending.allCases)
    func inFlight(_ ending: Ending) async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<3)
            let due = try await stores.due()
            let token = try await stores.tokens()
            #expect(try await erase(1, stores).counts.keys == 1)
            let outcomes = try [1, 2].map { number in
                let row = try #require(due[key(number)])
                return self.outcome(ending, row, number, token(row))
            }
            let stored = try await stores.refresh.store(outcomes, now: Self.noon)
            #expect(stored[0].dueTime == nil && stored[0].flagChange == .unchanged && stored[0].refusal == nil)
            #expect(stored[1].dueTime != nil)
            #expect(try await tablesLeft(stores) == [])
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.attested_key") == 1)
        }
    }

    private func outcome(_ ending: Ending, _ row: DueReceipt, _ number: Int, _ token: LeaseToken?) -> Outcome {
        var kept = row.schedule
        kept.lastOutcome = ending == .quiet ? .quiet : .held
        kept.lastOutcomeTime = Self.noon
        let reply = DataServerReply(
            reply: ending == .quiet ? .noData : .receipt(ReceiptBytes(filled(64, with: number))), status: nil,
            date: nil,
            traceID: nil, spanID: nil, excerpt: nil)
        let answer = receipt(number, created: Self.noon, metric: 30)
        return Outcome(
            due: row, sentTime: Self.noon, reply: reply, ending: ending == .believed ? .answered(answer) : .kept(kept),
            fault: ending == .doubted ? AnswerFault(kind: .notVerified, word: "chain", detail: "") : nil, token: token)
    }

    @Test("a run whose answers come while their keys are erased ends well, and has put nothing back")
    func duringRun() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<4)
            let sender = ErasingSender { receipt throws(StoreFailure) in
                // Of the three the one that is sent first.
                if receipt.isFirst { _ = try await erase(receipt.number, stores) }
            }
            var options = RefreshOptions(teams: [app: TeamID("A1B2C3D4E5")!])
            options.linger = .milliseconds(1)
            let run = RefreshRun(
                options: options, sender: sender, verifier: Believing(), store: stores.refresh,
                clock: StandingClock(time: start + .hours(2)), timer: RealTimer(), observer: Silent())
            let result = try await run.run()
            #expect(sender.failure == nil)
            #expect(result.summary.sent == 3 && result.summary.replaced == 2 && result.unsaved == 0)
            for table in ["attested_key", "receipt", "schedule", "metric_reading"] {
                #expect(try await stores.number("SELECT count(*) FROM attestwatch.\(table)") == 2, "\(table)")
            }
        }
    }

    @Test("an answer that is judged again while its key is erased is not stored, nor is it counted as not believed")
    func duringRecheck() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<3)
            let rows = try await stores.due().values
            _ = try await stores.refresh.store(
                rows.map { outcome(.doubted, $0, Int($0.keyID.bytes[31]), nil) }, now: Self.noon)
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.kept_answer") == 2)
            let quarantine = PostgresQuarantineStore(
                database: stores.test.database, rules: StoreRules(random: SplitMix(state: 5)))
            let answers = ErasingAnswers(answers: quarantine) { () async throws(StoreFailure) in
                _ = try await erase(1, stores)
            }
            var recheck = Recheck(
                verifier: Believing(), answers: answers, store: stores.refresh, cadences: [:],
                clock: StandingClock(time: Self.noon + .days(1)), random: SplitMix(state: 6))
            let counts = try await recheck.run(QuarantineSelection())
            #expect(counts.judged == 1 && counts.replaced == 1 && counts.unverified.isEmpty)
            #expect(try await tablesLeft(stores) == [])
        }
    }

    /// Who comes first to a submission of key 1: the run that takes it in, or the erasure.
    enum First: CaseIterable, Sendable { case intake, erasure }

    @Test(
        "of a submission that a run is taking in while it is erased nothing is left, whoever came first",
        arguments: First.allCases, [true, false])
    func submissionAtOnce(first: First, isGood: Bool) async throws {
        try await Stores.lend { stores in
            try await stores.execute(
                """
                SELECT attestwatch.submit_receipt('\(app)', decode(lpad('1', 64, '0'), 'hex'), '\\x30'::bytea,
                    device_ref => 'phone', user_ref => 'anna')
                """)
            let store = PostgresSubmissionStore(
                database: try Database(stores.test.conninfo), rules: StoreRules(random: SplitMix(state: 4)),
                words: { SubmissionRejection(reason: "store", detail: "\($0)") })
            let waiting = try await store.pending(
                IntakeQueue(app: app, isBackFill: false), in: [.production], after: 0, through: .max, limit: 9)
            let judged = waiting.map { one in
                let fresh = receipt(1, metric: 30, type: .attest)
                return JudgedSubmission(
                    submitted: one,
                    judgement: isGood
                        ? .accepted(intake(fresh, device: one.deviceRef, user: one.userRef))
                        : .rejected(SubmissionRejection(reason: "key", detail: "")))
            }
            #expect(judged.count == 1)
            let erasure = PostgresErasureStore(
                database: try Database(stores.test.conninfo), rules: StoreRules(random: SplitMix(state: 3)))
            let anna = ErasureSelection(name: .user("anna"))
            // Whoever comes first has locked the submission's row, and then waits for this.
            let gate = try stores.test.anew()
            let gates =
                first == .intake ? "attestwatch.shard_lease, attestwatch.intake_rejected" : "attestwatch.shard_lease"
            try await gate.execute("BEGIN; LOCK TABLE \(gates) IN ACCESS EXCLUSIVE MODE")
            @Sendable func settle() async throws -> [SubmissionOutcome] {
                try await store.settle(judged, now: Self.noon)
            }
            @Sendable func forget() async throws -> [SubmissionOutcome] {
                _ = try await erasure.erase(anna, now: Self.noon)
                return []
            }
            let (before, after) = first == .intake ? (settle, forget) : (forget, settle)
            async let one = before()
            try await waitForWaiting(1, stores)
            async let two = after()
            // An intake that comes second finds the row in another's hands and leaves it.
            if first == .intake { try await waitForWaiting(2, stores) }
            let late = first == .erasure ? try await two : []
            try await gate.execute("COMMIT")
            let outcomes = try await one + (first == .erasure ? late : try await two)
            #expect(outcomes.count == 1)
            if first == .erasure { #expect(outcomes == [.gone]) } else { #expect(outcomes != [.gone]) }
            for table in Self.tables + ["intake", "intake_rejected"] where !table.hasPrefix("flag") {
                #expect(try await stores.number("SELECT count(*) FROM attestwatch.\(table)") == 0, "\(table)")
            }
            let named = "SELECT count(*) FROM attestwatch.flag WHERE closed_time IS NULL OR subject LIKE '%phone%'"
            #expect(try await stores.number(named) == 0)
            #expect(try await tablesLeft(stores) == [])
        }
    }

    /// Until so many sessions of this database wait for a lock.
    private func waitForWaiting(_ count: Int, _ stores: Stores) async throws {
        let waiting = """
            SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
            """
        while try await stores.number(waiting) < count { await Task.yield() }
    }

    @Test("one that takes a key in and one that erases it come one after the other, and leave all of it or nothing")
    func intakeAtOnce() async throws {
        try await Stores.lend { stores in
            for round in 1...20 {
                async let taken = stores.intake.takeIn(
                    [intake(receipt(round, metric: 30, type: .attest), device: "phone")], now: start)
                async let erased = erase(round, stores)
                _ = try await (taken, erased)
                let rows = try await stores.texts(
                    """
                    SELECT concat_ws(' ', (SELECT count(*) FROM attestwatch.attested_key),
                        (SELECT count(*) FROM attestwatch.receipt), (SELECT count(*) FROM attestwatch.schedule),
                        (SELECT count(*) FROM attestwatch.metric_reading),
                        (SELECT count(*) FROM attestwatch.flag WHERE closed_time IS NULL))
                    """)
                #expect(rows == ["0 0 0 0 0"] || rows == ["1 1 1 1 1"], "round \(round)")
                _ = try await erase(round, stores)
            }
        }
    }
}

/// Does something before it answers: each answer is a receipt of the key that was sent.
private final class ErasingSender: DataServerSending {
    private let first = Mutex(true)
    private let failed = Mutex<StoreFailure?>(nil)
    private let work: @Sendable (SentReceipt) async throws(StoreFailure) -> Void

    struct SentReceipt: Sendable {
        let number: Int
        let isFirst: Bool
    }

    init(_ work: @escaping @Sendable (SentReceipt) async throws(StoreFailure) -> Void) { self.work = work }

    var failure: StoreFailure? { failed.withLock { $0 } }

    func send(
        _ receipt: ReceiptBytes, app: AppID, environment: Environment, refusedKeys: Set<Int>
    ) async -> DataServerReply {
        let isFirst = first.withLock { first in
            defer { first = false }
            return first
        }
        // The rows are sent in any order; which key's receipt this is tell its octets.
        let number = (1..<4).first { number in
            ReceiptStoreTests.receipt(number, created: start, type: .attest).bytes.bytes == receipt.bytes
        }
        do throws(StoreFailure) {
            try await work(SentReceipt(number: number ?? 0, isFirst: isFirst))
        } catch {
            failed.withLock { $0 = error }
        }
        return DataServerReply(
            reply: .receipt(ReceiptBytes(filled(64, with: number ?? 0))), status: 200, date: start + .hours(2),
            traceID: nil, spanID: nil, excerpt: nil)
    }

    func giveUp() {}
}

/// Kept answers that are read, and then something happens.
private struct ErasingAnswers: KeptAnswerStoring {
    let answers: PostgresQuarantineStore
    let work: @Sendable () async throws(StoreFailure) -> Void

    func keptAnswers(
        _ selection: QuarantineSelection, after cursor: KeyIdentifier?, keyLimit: Int
    ) async throws(StoreFailure) -> [KeptAnswer] {
        let page = try await answers.keptAnswers(selection, after: cursor, keyLimit: keyLimit)
        try await work()
        return page
    }

    func removeAnswers(_ numbers: [Int64]) async throws(StoreFailure) { try await answers.removeAnswers(numbers) }
}

/// Believes every answer, and takes it for a receipt of the key that was asked about.
private struct Believing: AnswerVerifying {
    func verify(
        _ answer: ReceiptBytes, to due: DueReceipt, serverDate: Instant?, now: Instant
    ) throws(AnswerFault) -> VerifiedReceipt {
        receipt(Int(due.keyID.bytes[31]), created: now, metric: 30)
    }
}

private struct StandingClock: WallClock {
    let time: Instant
    func now() -> Instant { time }
}

private struct RealTimer: PaceTimer {
    private let begun = ContinuousClock.now

    func now() -> Duration { ContinuousClock.now - begun }
    func sleep(until time: Duration) async { try? await Task.sleep(until: begun + time, clock: .continuous) }
}

private struct Silent: RunObserver {
    func outcome(_ event: RefreshEvent) {}
    func progress(_ progress: Progress) {}
    func storeAway(_ failure: StoreFailure, patience: Duration) {}
    func storeBack() {}
}
