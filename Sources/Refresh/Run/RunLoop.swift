import AppAttest

/// The state of a run between two happenings. All of it changes in one place, one step at a time; the work itself is
/// done by child tasks: one claims, one stores, and each request in flight has its own, which verifies its answer too.
struct RunLoop: Sendable {
    /// The parts and options.
    let run: RefreshRun
    /// When the run began: rows due by then are claimed, and no others.
    let start: Instant
    /// The same in elapsed time.
    let began: Duration
    /// Where draws come from.
    var random: any RandomNumberGenerator & Sendable

    /// The reading of due rows; one a data server, so that a queue that stands still stops no other.
    var claims: [Environment: Claims] = [:]
    /// The data server whose rows are being read.
    var claiming: Environment?
    /// Rows that wait to be sent; one queue a data server.
    var queues: [Environment: SendQueue] = [:]
    /// When the next may leave; one pacer a data server.
    var pacers: [Environment: Pacer] = [:]
    /// Which lanes may send.
    var lanes = Lanes()
    /// Trips that wait for the journal, before they wait to be stored.
    var journaling = JournalQueue()
    /// Trips that wait to be stored.
    var batch: StoreBatch
    /// When the timers go off that are set.
    var timers: [Duration] = []
    /// Whether nothing more is claimed or sent.
    var isStopping = false
    /// The store's first failure; the run ends with it.
    var failure: StoreFailure?

    /// The counts so far.
    var result: RunResult
    /// What was learnt about the data servers.
    var service = ServiceRecord()
    /// Rows whose outcome has been stored.
    var done = 0

    /// Nothing has been begun; `result` holds the counts from before.
    init(run: RefreshRun, start: Instant, result: RunResult) {
        self.run = run
        self.start = start
        self.began = run.timer.now()
        self.random = run.random
        self.batch = StoreBatch(size: run.options.batchSize, linger: run.options.linger)
        self.result = result
        for environment in Environment.allCases {
            claims[environment] = Claims()
            queues[environment] = SendQueue()
            pacers[environment] = Pacer(pace: run.options.paces[environment] ?? .standard, now: began)
        }
    }

    /// Rows that wait to be sent, at all data servers.
    var queued: Int { queues.values.reduce(0) { $0 + $1.count } }
    /// Requests that wait for their answer, at all data servers.
    var inFlight: Int { pacers.values.reduce(0) { $0 + $1.inFlight } }

    /// How many rows may still be claimed in this run.
    var claimable: Int {
        let claimed = claims.values.reduce(0) { $0 + $1.count }
        return run.options.limit.map { max(0, $0 - claimed) } ?? .max
    }

    /// Whether there may be more rows to claim.
    var mayClaim: Bool { claimable > 0 && claims.values.contains { !$0.isExhausted } }

    /// Whether everything claimed has its outcome.
    var isIdle: Bool { claiming == nil && queued == 0 && inFlight == 0 && journaling.count == 0 }

    /// Trips that have ended and are not stored.
    var unsaved: Int { journaling.count + batch.unsaved }

    /// Whether nothing is under way and nothing is left to begin.
    var isDone: Bool {
        guard isIdle, batch.underWay == 0, isStopping || !mayClaim else { return false }
        return batch.waiting.isEmpty || batch.isBroken
    }

    /// What the run has come to, once it is done.
    var finalResult: RunResult {
        var result = result
        result.stoppedLanes = lanes.stopped
        result.unavailable = service.unavailable
        result.served = service.served
        result.throttled = service.throttled
        result.clockSkew = service.clockSkew
        result.unsaved = unsaved
        result.journaled = batch.waiting.count { $0.place != nil }
        result.journalFailure = journaling.failure ?? result.journalFailure
        result.isComplete = claims.values.allSatisfy(\.isExhausted) && !isStopping
        return result
    }
}

// MARK: - What has happened

extension RunLoop {
    /// Takes in what a child task ended with.
    mutating func take(_ happening: Happening) {
        switch happening {
        case .claimed(let rows):
            if let environment = claiming { claims[environment]?.take(rows) }
            claiming = nil
            // Once the run is stopping, what was being claimed stays due.
            for due in rows where !isStopping { enqueue(due) }
        case .claimFailed(let failure):
            claiming = nil
            self.failure = self.failure ?? failure
        case .answered(let answer):
            take(answer)
        case .journaled(let trips):
            journaling.written()
            for trip in trips { batch.append(trip, now: run.timer.now()) }
        case .journalFailed(let failure, let trips):
            // The store is the next best place, and nothing more is asked for.
            for trip in trips + journaling.failed(failure) { batch.append(trip, now: run.timer.now()) }
        case .stored(let trips, let outcomes):
            batch.stored()
            record(trips, outcomes)
        case .storeFailed(let failure, let trips):
            batch.failed(trips)
            self.failure = self.failure ?? failure
        case .woke(let time):
            timers.removeAll { $0 == time }
        }
    }

    private mutating func enqueue(_ due: DueReceipt) {
        let lane = run.options.teams[due.appID].map { Lane(environment: due.environment, team: $0) }
        queues[due.environment]?.append(Candidate(due: due, lane: lane))
    }

    private mutating func take(_ answer: Answer) {
        let environment = answer.lane.environment
        pacers[environment]?.finished()
        service.note(answer)
        let decision = decide(answer)
        lanes.ended(decision, in: answer.lane)
        queues[environment]?.unpark(answer.lane)
        if case .slowDown(let pause) = decision.lane {
            let now = run.timer.now()
            pacers[environment]?.slowDown(sent: answer.sent, now: now, pause: pause)
        }
        switch decision.disposition {
        case .merge(let receipt):
            end(answer, .answered(receipt))
        case .keep(let row), .attribute(ifCharged: _, otherwise: let row):
            // Nothing in a run shows a lane good, so nobody is charged. What was found with clocks far apart is not
            // worth counting.
            if lanes.stopped[answer.lane]?.isClocksApart != true { result.concerns.note(answer.finding, leaving: row) }
            end(answer, .kept(row))
        case .sendAgain:
            var candidate = answer.candidate
            candidate.resends += 1
            candidate.refusal = answer.reply
            queues[environment]?.prepend(candidate)
        }
    }

    private mutating func decide(_ answer: Answer) -> Decision {
        let due = answer.candidate.due
        let policy = ReplyPolicy(cadence: run.options.cadences[due.appID] ?? .standard)
        return policy.decide(
            answer.finding, for: due, serverDate: answer.reply.date,
            resends: isStopping ? ReplyPolicy.longestResending : answer.candidate.resends, now: answer.time,
            using: &random)
    }

    private mutating func end(_ answer: Answer, _ ending: Outcome.Ending) {
        let fault: AnswerFault? = if case .doubtful(let fault) = answer.finding { fault } else { nil }
        let outcome = Outcome(
            due: answer.candidate.due, sentTime: answer.candidate.sentTime, reply: answer.reply, ending: ending,
            fault: fault)
        let trip = Trip(outcome: outcome, failure: answer.finding.failureWord, time: answer.time)
        if case .receipt = answer.reply.reply, run.journal != nil, journaling.failure == nil {
            journaling.append(trip)
        } else {
            batch.append(trip, now: run.timer.now())
        }
    }

    /// Counts and tells what became of trips.
    mutating func record(_ trips: [Trip], _ outcomes: [StoredOutcome]) {
        precondition(trips.count == outcomes.count, "the store answered for \(outcomes.count) of \(trips.count) rows")
        for (trip, stored) in zip(trips, outcomes) {
            result.summary.count(stored)
            if let sqlState = stored.refusal { result.refusals[sqlState, default: 0] += 1 }
            run.observer.outcome(trip.event(stored: stored))
        }
        done += trips.count
        let due = min(result.summary.due, run.options.limit ?? .max)
        run.observer.progress(Progress(due: due, done: done, elapsed: run.timer.now() - began))
    }
}
