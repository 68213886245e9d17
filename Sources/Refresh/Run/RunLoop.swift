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
    /// Who this run is among the workers.
    let worker: WorkerID

    /// The shards whose rows are the run's to send.
    var shards: Shards
    /// Whether they are being looked at.
    var isLooking = false
    /// The reading of due rows; each line by itself, so that one that stands still stops no other.
    var claims: [Line: Claims] = [:]
    /// Whether due rows are being read.
    var isClaiming = false
    /// The keys whose row is claimed and not stored.
    var underWay: Set<KeyIdentifier> = []
    /// Since when there has been nothing to do; nil while there is.
    var idleSince: Duration?
    /// What is kept of each data server.
    var servers: [Environment: ServerState] = [:]
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
    /// When what is in flight is given up; set once the run is stopping.
    var graceEnd: Duration?
    /// Whether it has been given up.
    var isGivenUp = false
    /// The store's first failure; the run ends with it.
    var failure: StoreFailure?

    /// The counts so far.
    var result: RunResult
    /// What was learnt about the data servers.
    var service = ServiceRecord()
    /// Rows whose outcome has been stored.
    var done = 0

    /// Nothing has been begun; `result` holds the counts from before.
    init(run: RefreshRun, worker: WorkerID, start: Instant, answered: Set<Environment>, result: RunResult) {
        self.run = run
        self.worker = worker
        self.start = start
        self.began = run.timer.now()
        self.shards = Shards(terms: run.options.lease, now: began)
        self.random = run.random
        self.batch = StoreBatch(size: run.options.batchSize, linger: run.options.linger)
        self.result = result
        for line in Line.all { claims[line] = Claims() }
        for environment in Environment.allCases {
            servers[environment] = ServerState(
                pace: run.options.paces[environment] ?? .standard, hasAnswered: answered.contains(environment),
                now: began)
        }
    }

    /// Rows that wait to be sent, at all data servers.
    var queued: Int { servers.values.reduce(0) { $0 + $1.queue.count } }
    /// Requests that wait for their answer, at all data servers.
    var inFlight: Int { servers.values.reduce(0) { $0 + $1.pacer.inFlight } }

    /// How many rows may still be claimed in this run.
    var claimable: Int {
        let claimed = claims.values.reduce(0) { $0 + $1.count }
        return run.options.limit.map { max(0, $0 - claimed) } ?? .max
    }

    /// Whether there are more rows to claim in the shards that the run holds.
    var mayClaim: Bool {
        claimable > 0 && (shards.lastLook == nil || claims.values.contains { !$0.isExhausted })
    }

    /// Whether everything claimed has its outcome.
    var isIdle: Bool { isSilent && lanes.pending == 0 && journaling.count == 0 }

    /// Whether nothing waits to be sent or for its answer, nor may soon.
    var isSilent: Bool { !isClaiming && queued == 0 && inFlight == 0 }

    /// Trips that have ended and are not stored. Failures that wait for their lane are none of them: what they wait for
    /// is one more request.
    var unsaved: Int { journaling.count + batch.unsaved }

    /// Whether nothing is under way and nothing is left to begin.
    var isDone: Bool {
        guard isIdle, !isLooking, !hasNews, batch.underWay == 0, isStopping || !(mayClaim || mayGain) else {
            return false
        }
        return batch.waiting.isEmpty || batch.isBroken
    }

    /// Whether the other workers are still to be told of a 429.
    private var hasNews: Bool { failure == nil && servers.values.contains(where: \.pacer.hasNews) }

    /// Whether shards of a worker that has died may still come to this run.
    private var mayGain: Bool {
        guard claimable > 0 else { return false }
        return idleSince.map { shards.mayGain(idle: $0) } ?? true
    }

    /// What the run has come to, once it is done.
    var finalResult: RunResult {
        var result = result
        result.stoppedLanes = lanes.stopped
        result.acceptedLanes = lanes.accepted
        result.unprovenLanes = lanes.unproven
        result.asked = service.asked
        result.verified = service.verified
        result.doubted = service.doubted
        result.unavailable = service.unavailable
        for (environment, server) in servers where server.breaker.isOpen {
            result.outages[environment] = service.lastFailure[environment]
        }
        result.served = service.served
        result.throttled = service.throttled
        result.clockSkew = service.clockSkew
        result.unsaved = unsaved
        result.journaled = batch.waiting.count { $0.place != nil }
        result.journalFailure = journaling.failure ?? result.journalFailure
        if !isStopping {
            let whole = Environment.allCases.filter { environment in
                servers[environment]?.isClosed != true
                    && Line.all.allSatisfy { $0.environment != environment || claims[$0]?.isExhausted == true }
            }
            result.exhausted = Set(whole)
        }
        return result
    }
}

// MARK: - What has happened

extension RunLoop {
    /// Takes in what a child task ended with.
    mutating func take(_ happening: Happening) {
        switch happening {
        case .held(let holdings, let asked):
            isLooking = false
            take(shards.take(holdings, asked: asked, now: run.timer.now()))
            for environment in Environment.allCases {
                servers[environment]?.pacer.share(among: holdings.workers)
            }
        case .holdFailed(let failure):
            isLooking = false
            self.failure = self.failure ?? failure
        case .claimed(let rows, let line, let sweep):
            isClaiming = false
            claims[line]?.take(rows, of: sweep)
            // Once the run is stopping, what was being claimed stays due.
            for due in rows where !isStopping { enqueue(due) }
        case .claimFailed(let failure):
            isClaiming = false
            self.failure = self.failure ?? failure
        case .paced(let slice, let request, let environment):
            let now = run.timer.now()
            servers[environment]?.pacer.take(slice, for: request, now: now)
        case .paceFailed(let failure):
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

    /// A row whose shard has gone while it was read is another worker's now.
    private mutating func enqueue(_ due: DueReceipt) {
        // What was being read when its data server was given up stays due.
        guard servers[due.environment]?.isClosed == false else { return }
        guard let counter = shards.counter(of: due.schedule.shard), underWay.insert(due.keyID).inserted else { return }
        shards.began(due.schedule.shard)
        let lane = run.options.lane(of: due.appID, to: due.environment)
        let token = LeaseToken(worker: worker, counter: counter)
        servers[due.environment]?.queue.append(Candidate(due: due, lane: lane, token: token))
    }

    private mutating func take(_ change: Shards.Change) {
        for line in Line.all {
            claims[line]?.gain(change.gained)
            claims[line]?.lose(change.lost)
        }
        guard !change.lost.isEmpty else { return }
        for environment in Environment.allCases {
            for candidate in servers[environment]?.queue.remove(of: change.lost) ?? [] { drop(candidate) }
        }
    }

    /// A claimed row is not worked on any more: another worker has it, or will.
    private mutating func release(_ due: DueReceipt) {
        guard underWay.remove(due.keyID) != nil else { return }
        shards.ended(due.schedule.shard)
    }

    /// A row that waits to be sent goes out of the queue: as it is, and due, where it was never sent; else like an
    /// outage.
    mutating func drop(_ candidate: Candidate) {
        guard candidate.sentTime != nil else { return release(candidate.due) }
        let time = run.clock.now()
        let longest = Backoff.outage.wait(after: candidate.due.schedule.failures)
        let wait = Spreading.duration(from: .seconds(1), to: longest, using: &random)
        let row = KeptRow(due: candidate.due, now: time).failed(until: time + wait)
        end(candidate, row, time: time, now: run.timer.now())
    }

    /// Leaves a row as it is, and due, with an event that says why; nothing of it is stored.
    mutating func leave(_ candidate: Candidate, failure: String, time: Instant) {
        let row = candidate.due.schedule
        let outcome = Outcome(due: candidate.due, sentTime: nil, reply: nil, ending: .kept(row))
        let untouched = StoredOutcome(
            keyID: candidate.due.keyID, word: .held, flagChange: .unchanged, dueTime: row.dueTime)
        record([Trip(outcome: outcome, failure: failure, time: time)], [untouched])
    }

    private mutating func take(_ answer: Answer) {
        let environment = answer.lane.environment
        let now = run.timer.now()
        servers[environment]?.pacer.finished()
        if isGivenUp, case .unreachable = answer.reply.reply {
            result.givenUp += 1
            return leave(answer.candidate, failure: "given_up", time: answer.time)
        }
        service.note(answer)
        let decision = decide(answer)
        servers[environment]?.note(answer, isSentAgain: decision.disposition == .sendAgain, now: now)
        let settled = lanes.ended(answer, decision)
        if case .proof = decision.lane { noteRefusedKeys(answer) }
        if admission(to: answer.lane) != .wait { servers[environment]?.queue.unpark(answer.lane) }
        if case .slowDown(let pause) = decision.lane {
            servers[environment]?.pacer.slowDown(sent: answer.sent, now: now, pause: pause)
        }
        switch decision.disposition {
        case .merge(let receipt):
            end(answer, .answered(receipt))
        case .keep(let row):
            if !decision.lane.isStop { result.concerns.note(answer.finding, leaving: row) }
            end(answer, .kept(row))
        case .attribute:
            // Ends when its lane is shown good, or is not: with what settles it.
            break
        case .sendAgain:
            let candidate = answer.candidate.again(after: answer)
            // Without its lease the row is another worker's by now.
            if shards.counter(of: candidate.due.schedule.shard) == candidate.token.counter {
                servers[environment]?.queue.prepend(candidate)
            } else {
                drop(candidate)
            }
        }
        end(settled)
        if servers[environment]?.breaker.isStopped == true { close(environment, "breaker_open") }
        if hasNoLane(to: environment) { close(environment, "lane_stopped") }
    }

    /// Of the keys that were refused for what another one then was taken for, somebody has to know.
    private mutating func noteRefusedKeys(_ answer: Answer) {
        for place in answer.candidate.refusedKeys where answer.lane.keyIDs.indices.contains(place) {
            result.refusedKeys[answer.lane, default: []].insert(answer.lane.keyIDs[place])
        }
    }

    /// Whether every lane has stopped that leads there: what is due would be read for nothing.
    private func hasNoLane(to environment: Environment) -> Bool {
        let stopped = lanes.stopped
        guard !stopped.isEmpty else { return false }
        return Set(run.options.teams.keys.map { run.options.lane(of: $0, to: environment) })
            .allSatisfy { lane in lane.map { stopped[$0] != nil } ?? true }
    }

    /// Nothing more is sent to a data server in this run; what was not sent stays due.
    mutating func close(_ environment: Environment, _ failure: String) {
        guard servers[environment]?.isClosed == false else { return }
        servers[environment]?.isClosed = true
        let time = run.clock.now()
        for line in Line.all where line.environment == environment { claims[line]?.close() }
        for candidate in servers[environment]?.queue.removeAll() ?? [] {
            if candidate.sentTime == nil {
                leave(candidate, failure: failure, time: time)
            } else {
                drop(candidate)
            }
        }
    }

    /// Ends the trips of failures whose lane has been shown good, or has not.
    mutating func end(_ settled: [LaneRecord.Settled]) {
        for one in settled {
            let (answer, row) = (one.failure.answer, one.isCharged ? one.failure.charged : one.failure.held)
            // What a stopped lane means is said once, of the lane; a row that waits for a person is counted as such.
            if lanes.stopped[answer.lane] == nil, row.state != .quarantined {
                result.concerns.note(answer.finding, leaving: row)
            }
            end(answer, .kept(row))
        }
    }

    private mutating func decide(_ answer: Answer) -> Decision {
        let due = answer.candidate.due
        let policy = ReplyPolicy(
            cadence: run.options.cadences[due.appID] ?? .standard,
            serverHasAnswered: servers[due.environment]?.hasAnswered ?? false)
        return policy.decide(
            answer.finding, for: due, serverDate: answer.reply.date,
            resends: isStopping ? ReplyPolicy.longestResending : answer.candidate.resends,
            hasOtherKey: !isStopping && answer.reply.refusedKey != nil, now: answer.time, using: &random)
    }

    private mutating func end(_ answer: Answer, _ ending: Outcome.Ending) {
        let fault: AnswerFault? = if case .doubtful(let fault) = answer.finding { fault } else { nil }
        let outcome = Outcome(
            due: answer.candidate.due, sentTime: answer.candidate.sentTime, reply: answer.reply, ending: ending,
            fault: fault, token: answer.candidate.token)
        let trip = Trip(outcome: outcome, failure: answer.finding.failureWord, time: answer.time)
        if case .receipt = answer.reply.reply, run.journal != nil, journaling.failure == nil {
            journaling.append(trip, now: run.timer.now())
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
            if stored.isReadingOutdated { result.outdatedReadings += 1 }
            if stored.isFenced { shards.lookSoon(now: run.timer.now()) }
            release(trip.outcome.due)
            run.observer.outcome(trip.event(stored: stored))
        }
        done += trips.count
        let due = min(result.summary.due, run.options.limit ?? .max)
        run.observer.progress(Progress(due: due, done: done, elapsed: run.timer.now() - began))
    }
}
