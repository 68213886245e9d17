import AppAttest

/// One run of the main job: due rows are claimed, sent, verified and stored, each at most once.
///
/// Each data server's rows are read rank by rank in (due time, key) order behind a cursor, as of the run's start. A row
/// that was stored in the run is due later than that, so the run never meets it again. Memory is bounded by the queues,
/// not by the backlog.
package struct RefreshRun: Sendable {
    /// What the run is to do.
    package let options: RefreshOptions
    /// Brings a receipt to its data server.
    let sender: any DataServerSending
    /// Judges what came back; asked by many tasks at once.
    let verifier: any AnswerVerifying
    /// The rows; asked to read and to store at the same time, each by one task.
    let store: any RefreshStoring
    /// Where answers are safe until they are stored; nil: nowhere.
    let journal: (any AnswerJournaling)?
    /// Takes in what back ends have handed over; nil: that is left to others.
    let intake: (any IntakeTaking)?
    /// For everything about dates.
    let clock: any WallClock
    /// For pace and batches.
    let timer: any PaceTimer
    /// Sees the run go by.
    let observer: any RunObserver
    /// Where draws come from; every run begins with a copy.
    let random: any RandomNumberGenerator & Sendable
    /// Whether the run should come to an end.
    let stopRequested: @Sendable () -> Bool
    /// What is done while the store is away.
    let patience: StorePatience

    /// Joins the parts of a run.
    ///
    /// - Parameter stopRequested: asked between steps; once it says so, nothing more is claimed or sent, and the run
    ///   ends when what is in flight has come back and is stored.
    package init(
        options: RefreshOptions, sender: any DataServerSending, verifier: any AnswerVerifying,
        store: any RefreshStoring, journal: (any AnswerJournaling)? = nil, intake: (any IntakeTaking)? = nil,
        clock: any WallClock, timer: any PaceTimer, observer: any RunObserver,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        stopRequested: @escaping @Sendable () -> Bool = { false }
    ) {
        self.options = options
        self.sender = sender
        self.verifier = verifier
        self.store = store
        self.journal = journal
        self.intake = intake
        self.clock = clock
        self.timer = timer
        self.observer = observer
        self.random = random
        self.stopRequested = stopRequested
        self.patience = StorePatience(options, timer: timer, observer: observer, stopRequested: stopRequested)
    }

    /// Runs to the end of what is due, or to a limit of `options`.
    ///
    /// - Throws: when the store fails; what was in flight has come back by then, and its outcomes are counted as
    ///   unsaved.
    package func run() async throws(RunFailure) -> RunResult {
        var result = RunResult()
        do throws(StoreFailure) {
            let start = clock.now()
            let end = options.maxDuration.map { timer.now() + $0 }
            if options.dryRun {
                result.summary.due = try await retrying { () async throws(StoreFailure) in
                    try await store.countDue(now: start, app: options.app)
                }
                try await lookAtIntake(into: &result)
                return result
            }
            // One whose commit got lost on the way is recorded twice: the first record stays without an end, as that of
            // a run that was killed.
            let run = try await retrying { () async throws(StoreFailure) in try await store.beginRun(now: start) }
            let mayClaim = try await replay(into: &result)
            let soon = timer.now() + IntakeRound.timeBeforeSending
            try await takeIn(until: end.map { min($0, soon) } ?? soon, into: &result)
            try await lookAhead(start: start, into: &result)
            var random = random
            let worker = WorkerID(using: &random)
            let answered = try await retrying { () async throws(StoreFailure) in
                try await store.answeredEnvironments()
            }
            if mayClaim, let failure = await refresh(as: worker, start: start, answered, into: &result) {
                // Leases end by themselves; giving them back sooner is a courtesy, and this store has just failed.
                try? await store.releaseShards(worker)
                throw failure
            }
            // Others may want them while this run takes in the rest.
            try await retrying { () async throws(StoreFailure) in try await store.releaseShards(worker) }
            try await takeIn(until: end, into: &result)
            try await lookAtIntake(into: &result)
            let summary = result.summary
            try await retrying { () async throws(StoreFailure) in
                try await store.finishRun(run, summary: summary, now: clock.now())
            }
            return result
        } catch {
            throw RunFailure(cause: error, result: result)
        }
    }

    /// Stores what earlier runs have left in journals.
    ///
    /// - Returns: whether the run may go on to claim: not once a journal could not be read.
    private func replay(into result: inout RunResult) async throws(StoreFailure) -> Bool {
        guard let journal else { return true }
        var replay = Replay(run: self, journal: journal, result: result)
        defer { result = replay.result }
        do throws(Replay.Failure) {
            try await replay.replayAll()
            return true
        } catch {
            switch error {
            case .journal(let failure):
                replay.result.journalFailure = failure
                return false
            case .store(let failure): throw failure
            }
        }
    }

    /// Takes in what back ends have handed over.
    private func takeIn(until end: Duration?, into result: inout RunResult) async throws(StoreFailure) {
        guard let intake else { return }
        try await IntakeRound(run: self, intake: intake, end: end).takeIn(into: &result)
    }

    /// Looks at what waits to be taken in.
    private func lookAtIntake(into result: inout RunResult) async throws(StoreFailure) {
        guard let intake else { return }
        let waiting = try await retrying { () async throws(StoreFailure) in
            try await intake.waiting(now: clock.now())
        }
        result.waiting = waiting
        result.summary.pending = waiting.filter { row in options.app.map { $0 == row.app } ?? true }
            .reduce(0) { $0 + $1.count }
    }

    /// What comes before the first claim: what has expired ends, what is due is counted.
    private func lookAhead(start: Instant, into result: inout RunResult) async throws(StoreFailure) {
        let ended = try await retrying { () async throws(StoreFailure) in
            try await store.endExpired(now: start, app: options.app)
        }
        result.summary.retired = ended.retired
        result.summary.lost = ended.lost
        result.summary.due = try await retrying { () async throws(StoreFailure) in
            try await store.countDue(now: start, app: options.app)
        }
    }

    /// The loop itself: starts what can be started, waits for the next thing to happen, until nothing is left.
    private func refresh(
        as worker: WorkerID, start: Instant, _ answered: Set<Environment>, into result: inout RunResult
    ) async -> StoreFailure? {
        let before = result
        let loop = await withTaskGroup(of: Happening.self) { group in
            var loop = RunLoop(run: self, worker: worker, start: start, answered: answered, result: before)
            loop.advance(&group)
            while !loop.isDone, let happening = await group.next() {
                loop.take(happening)
                loop.advance(&group)
            }
            group.cancelAll()
            return loop
        }
        result = loop.finalResult
        return loop.failure
    }
}
