import AppAttest
import Refresh
import Risk
import Synchronization
import Testing

/// Elapsed time that moves only when somebody sleeps: to the end of the shortest sleep, once everything that can go on
/// has gone on a while, since what a run has under way here takes no time.
final class SteppingTimer: PaceTimer {
    private struct State {
        var time = Duration.zero
        var sleepers: [Int: Duration] = [:]
        var begun = 0
        var working = 0
    }

    private let state = Mutex(State())

    /// Does what takes no time: until it is done, time stands still.
    func standingStill<Value>(_ work: () -> Value) -> Value {
        state.withLock { $0.working += 1 }
        defer { state.withLock { $0.working -= 1 } }
        return work()
    }

    func now() -> Duration { state.withLock { $0.time } }

    func sleep(until wanted: Duration) async {
        let number = state.withLock { state in
            state.begun += 1
            state.sleepers[state.begun] = wanted
            return state.begun
        }
        while !Task.isCancelled {
            for _ in 0..<200 { await Task.yield() }
            let isOver = state.withLock { state in
                if state.working == 0, state.sleepers.values.min() == wanted { state.time = max(state.time, wanted) }
                return state.time >= wanted
            }
            if isOver { break }
        }
        state.withLock { $0.sleepers[number] = nil }
    }
}

extension RunResult {
    /// Whether the run came to the end of what was due, with every data server.
    var isComplete: Bool { exhausted == Set(Environment.allCases) }
}

/// A wall clock that stands still.
struct StandingClock: WallClock {
    let time: Instant
    func now() -> Instant { time }
}

/// Keeps what a run tells.
final class RecordingObserver: RunObserver {
    private struct Kept {
        var events: [RefreshEvent] = []
        var progress: [Progress] = []
        var outages: [Duration] = []
        var recoveries = 0
    }

    private let kept = Mutex(Kept())

    var events: [RefreshEvent] { kept.withLock { $0.events } }
    var progress: [Progress] { kept.withLock { $0.progress } }
    /// For how long each outage of the store was to be waited out.
    var outages: [Duration] { kept.withLock { $0.outages } }
    /// How often the store came back.
    var recoveries: Int { kept.withLock { $0.recoveries } }

    func outcome(_ event: RefreshEvent) { kept.withLock { $0.events.append(event) } }
    func progress(_ progress: Progress) { kept.withLock { $0.progress.append(progress) } }
    func storeAway(_ failure: StoreFailure, patience: Duration) { kept.withLock { $0.outages.append(patience) } }
    func storeBack() { kept.withLock { $0.recoveries += 1 } }
}

/// A data server that answers by a rule, and counts what is in flight. Requests wait at a gate, where one is set, until
/// so many have gathered; the first ones pass. There may be several signing keys.
final class RuledSender: DataServerSending {
    struct Record: Sendable {
        var sent: [ReceiptBytes] = []
        var sentTimes: [Duration] = []
        var times: [ReceiptBytes: Int] = [:]
        var inFlight = 0
        var mostInFlight = 0
        var gate = 0
        var free = 1
        var waiting: [CheckedContinuation<Void, Never>] = []
        var isGivenUp = false
    }

    private let record = Mutex(Record())
    private let rule: @Sendable (ReceiptBytes, AppID, _ timesSent: Int) -> Reply
    private let date: Instant?
    private let keys: Int

    init(
        date: Instant? = Samples.noon, keys: Int = 1, gate: Int = 0, passingFirst free: Int = 1,
        rule: @escaping @Sendable (ReceiptBytes, AppID, _ timesSent: Int) -> Reply
    ) {
        self.rule = rule
        self.date = date
        self.keys = keys
        record.withLock { record in
            record.gate = gate
            record.free = free
        }
    }

    /// The run's own time, where it is of interest when requests come.
    let timer = Mutex<SteppingTimer?>(nil)
    var sent: [ReceiptBytes] { record.withLock { $0.sent } }
    /// When each came, where there is a timer.
    var sentTimes: [Duration] { record.withLock { $0.sentTimes } }
    var mostInFlight: Int { record.withLock { $0.mostInFlight } }

    func send(
        _ receipt: ReceiptBytes, app: AppID, environment: Environment, refusedKeys: Set<Int>
    ) async -> DataServerReply {
        let times = record.withLock { record in
            record.sent.append(receipt)
            if let now = timer.withLock({ $0?.now() }) { record.sentTimes.append(now) }
            record.inFlight += 1
            record.mostInFlight = max(record.mostInFlight, record.inFlight)
            record.times[receipt, default: 0] += 1
            return record.times[receipt, default: 0]
        }
        await pass()
        record.withLock { $0.inFlight -= 1 }
        let reply = isGivenUp ? .unreachable(.cut) : rule(receipt, app, times)
        var answer = DataServerReply(
            reply: reply, status: nil, date: date, traceID: "trace", spanID: nil, excerpt: nil)
        if reply == .unauthorized, refusedKeys.count + 1 < keys { answer.refusedKey = refusedKeys.count }
        return answer
    }

    func giveUp() {
        let waiting = record.withLock { record in
            defer { record.waiting = [] }
            record.isGivenUp = true
            return record.waiting
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Whether the requests in flight were given up.
    var isGivenUp: Bool { record.withLock { $0.isGivenUp } }

    /// Holds requests back until `gate` of them are here, then lets all through, from then on too. The first ones,
    /// such as the canary, pass.
    private func pass() async {
        await withCheckedContinuation { continuation in
            let released = record.withLock { record -> [CheckedContinuation<Void, Never>] in
                record.waiting.append(continuation)
                guard record.sent.count <= record.free || record.inFlight >= record.gate else { return [] }
                if record.inFlight >= record.gate { record.gate = 0 }
                defer { record.waiting = [] }
                return record.waiting
            }
            for waiting in released { waiting.resume() }
        }
    }
}

/// Believes every answer that begins with A5, and makes of it a receipt with the metric of its rule.
struct BelievingVerifier: AnswerVerifying {
    func verify(
        _ answer: ReceiptBytes, to due: DueReceipt, serverDate: Instant?, now: Instant
    ) throws(AnswerFault) -> VerifiedReceipt {
        guard answer.bytes.first == 0xa5, let receipt = try? Samples.answer(to: due) else { throw Samples.fault }
        return receipt
    }
}

/// Leases by a script: each look finds the next state of it, the last one from then on.
struct ScriptedLeases: Sendable {
    var looks = [ShardHoldings.all()]
    var looked = 0
    var givenBack: [Set<Int>] = []
    var workers: Set<WorkerID> = []
    var released: [WorkerID] = []

    mutating func hold(_ worker: WorkerID, _ givingBack: Set<Int>) -> ShardHoldings {
        defer { looked += 1 }
        workers.insert(worker)
        if !givingBack.isEmpty { givenBack.append(givingBack) }
        return looks[min(looked, looks.count - 1)]
    }
}

extension ShardHoldings {
    /// The leases of these shards, a minute long, with this counter.
    static func all(
        _ shards: Range<Int> = 0..<Subject.shardCount, counter: Int64 = 1, others: [Other] = [], share: Int = 64
    ) -> ShardHoldings {
        ShardHoldings(
            held: shards.map { Held(shard: $0, counter: counter, remaining: .seconds(60)) }, others: others,
            share: share)
    }
}

/// Rows in memory, under the store's contract: due rows in cursor order, and what is stored moves its row.
final class MemoryStore: RefreshStoring {
    struct State: Sendable {
        var rows: [KeyIdentifier: DueReceipt] = [:]
        var stored: [Outcome] = []
        var batches: [Int] = []
        var claimed = 0
        var mostAhead = 0
        var failingBatches = 0..<0
        var failingClaims = 0..<0
        var failure = MemoryStore.away
        var claims = 0
        var finished: RunSummary?
        var begun = 0
        var leases = ScriptedLeases()
        var budgets: [Environment: SharedBudget] = [:]
        var answered: Set<Environment> = [.production, .development]
    }

    let state: Mutex<State>

    /// Batches and claims are counted from 1; those named fail with `failure`.
    init(
        _ rows: [DueReceipt], failingBatches: Range<Int> = 0..<0, failingClaims: Range<Int> = 0..<0,
        failure: StoreFailure = away
    ) {
        var state = State()
        for row in rows { state.rows[row.keyID] = row }
        state.failingBatches = failingBatches
        state.failingClaims = failingClaims
        state.failure = failure
        self.state = Mutex(state)
    }

    /// The budgets' time: the run's own, where it moves.
    let timer = Mutex<SteppingTimer?>(nil)

    private func standingStill<Value>(_ work: () -> Value) -> Value {
        guard let timer = timer.withLock({ $0 }) else { return work() }
        return timer.standingStill(work)
    }

    static let away = StoreFailure.unavailable(message: "server closed the connection unexpectedly")

    var stored: [Outcome] { state.withLock { $0.stored } }
    var batches: [Int] { state.withLock { $0.batches } }
    /// The most rows that were ever claimed and not stored.
    var mostAhead: Int { state.withLock { $0.mostAhead } }
    var finished: RunSummary? { state.withLock { $0.finished } }
    var begun: Int { state.withLock { $0.begun } }
    var claims: Int { state.withLock { $0.claims } }

    func row(_ number: Int) throws -> DueReceipt {
        let keyID = try #require(KeyIdentifier(Samples.bytes(number)))
        return try #require(state.withLock { $0.rows[keyID] })
    }

    func endExpired(now: Instant, app: AppID?) async throws(StoreFailure) -> EndedCounts {
        EndedCounts(retired: 3, lost: 1)
    }

    func countDue(now: Instant, app: AppID?) async throws(StoreFailure) -> Int {
        due(now: now, app: app).count
    }

    func holdShards(
        _ worker: WorkerID, givingBack: Set<Int>, now: Instant, app: AppID?
    ) async throws(StoreFailure) -> ShardHoldings {
        state.withLock { $0.leases.hold(worker, givingBack) }
    }

    func releaseShards(_ worker: WorkerID) async throws(StoreFailure) {
        state.withLock { $0.leases.released.append(worker) }
    }

    func dueReceipts(
        now: Instant, rank: Rank, after cursor: DueCursor?, limit: Int, app: AppID?, environment: Environment,
        shards: [Int]
    ) async throws(StoreFailure) -> [DueReceipt] {
        let failure = state.withLock { state in
            state.claims += 1
            return state.failingClaims.contains(state.claims) ? state.failure : nil
        }
        if let failure { throw failure }
        let found = standingStill {
            claim(now: now, rank: rank, after: cursor, limit: limit, app: app, environment, shards)
        }
        state.withLock { state in
            state.claimed += found.count
            state.mostAhead = max(state.mostAhead, state.claimed - state.stored.count)
        }
        return found
    }

    private func claim(
        now: Instant, rank: Rank, after cursor: DueCursor?, limit: Int, app: AppID?, _ environment: Environment,
        _ shards: [Int]
    ) -> [DueReceipt] {
        let rows = due(now: now, app: app).filter { row in
            row.environment == environment && row.schedule.rank == rank && shards.contains(row.schedule.shard)
                && cursor.map { Self.place(row) > Self.place($0) } ?? true
        }
        return Array(rows.sorted { Self.place($0) < Self.place($1) }.prefix(limit))
    }

    func receipts(of keys: [KeyIdentifier]) async throws(StoreFailure) -> [DueReceipt] {
        state.withLock { state in Set(keys).compactMap { state.rows[$0] } }
    }

    func store(_ outcomes: [Outcome], now: Instant) async throws(StoreFailure) -> [StoredOutcome] {
        let failure = state.withLock { state in
            state.batches.append(outcomes.count)
            return state.failingBatches.contains(state.batches.count) ? state.failure : nil
        }
        if let failure { throw failure }
        return state.withLock { state in
            state.stored += outcomes
            return outcomes.map { Self.store($0, now: now, in: &state) }
        }
    }

    func takeSlice(_ request: SliceRequest, from environment: Environment) async throws(StoreFailure) -> PaceSlice {
        let now = Samples.noon + (timer.withLock { $0?.now() } ?? .zero)
        return state.withLock { state in
            state.budgets[environment, default: SharedBudget(pace: request.pace, now: now)].grant(request, now: now)
        }
    }

    func answeredEnvironments() async throws(StoreFailure) -> Set<Environment> { state.withLock { $0.answered } }

    func beginRun(now: Instant) async throws(StoreFailure) -> Int64 {
        state.withLock { $0.begun += 1 }
        return 1
    }

    func finishRun(_ run: Int64, summary: RunSummary, now: Instant) async throws(StoreFailure) {
        state.withLock { $0.finished = summary }
    }

    private static func store(_ outcome: Outcome, now: Instant, in state: inout State) -> StoredOutcome {
        var row = outcome.due.schedule
        var change = FlagChange.unchanged
        switch outcome.ending {
        case .answered(let receipt):
            row.dueTime = now + .days(7)
            row.lastOutcome = .replaced
            change = assess(metric: receipt.payload.riskMetric, open: nil, policy: .standard)
        case .kept(let kept):
            row = kept
        }
        let due = outcome.due
        state.rows[due.keyID] = DueReceipt(
            keyID: due.keyID, appID: due.appID, environment: due.environment, subject: due.subject,
            receipt: due.receipt, receiptDigest: due.receiptDigest, creationTime: due.creationTime,
            notBefore: due.notBefore, expirationTime: due.expirationTime,
            attestedCertificateDigest: due.attestedCertificateDigest,
            attestedTime: due.attestedTime, schedule: row)
        return StoredOutcome(
            keyID: due.keyID, word: row.lastOutcome ?? .failed, flagChange: change, dueTime: row.dueTime)
    }

    private func due(now: Instant, app: AppID?) -> [DueReceipt] {
        state.withLock { state in
            state.rows.values
                .filter { [.active, .quiet].contains($0.schedule.state) && $0.schedule.dueTime <= now }
                .filter { row in app.map { $0 == row.appID } ?? true }
        }
    }

    private static func place(_ row: DueReceipt) -> (Instant, Int) {
        (row.schedule.dueTime, Samples.number(row.keyID.bytes))
    }

    private static func place(_ cursor: DueCursor) -> (Instant, Int) {
        (cursor.dueTime, Samples.number(cursor.keyID.bytes))
    }
}
