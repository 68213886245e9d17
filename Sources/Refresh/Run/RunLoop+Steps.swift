import AppAttest

// What a run begins whenever something has happened.
extension RunLoop {
    /// How often a run that waits for its pace looks whether it should stop.
    private static let stopCheck: Duration = .milliseconds(500)
    /// A run stands still at most so long for a data server that wants to be left alone.
    private static let longestPause: Duration = .minutes(1)

    /// Begins everything that can be begun, as child tasks of `group`.
    mutating func advance(_ group: inout TaskGroup<Happening>) {
        let now = run.timer.now()
        if !isStopping, shouldStop(now: now) { stop(now: now) }
        if let graceEnd, now >= graceEnd { giveUp() }
        for environment in Environment.allCases { closeIfPaused(environment, now: now) }
        if isSilent, isStopping || !mayClaim { end(lanes.giveUp()) }
        noteIdleness(now: now)
        look(&group, now: now)
        claim(&group)
        let paced = Environment.allCases.compactMap { send(to: $0, &group, now: now) }.min()
        for environment in Environment.allCases { askPace(of: environment, &group, now: now) }
        journal(&group, now: now)
        store(&group, now: now)
        let look = isLooking || isDone || failure != nil ? nil : shards.nextLook
        let wake = [paced, journaling.deadline, batch.deadline, look, isGivenUp ? nil : graceEnd].compactMap(\.self)
            .min()
        if let wake { wakeUp(at: min(wake, now + Self.stopCheck), &group) }
    }

    private func shouldStop(now: Duration) -> Bool {
        failure != nil || journaling.failure != nil || Task.isCancelled || run.stopRequested()
            || run.options.maxDuration.map { now - began >= $0 } ?? false
    }

    /// Nothing more is sent, and what is in flight has until the end of the grace to come back.
    private mutating func stop(now: Duration) {
        isStopping = true
        graceEnd = now + run.options.grace
        for environment in Environment.allCases {
            for candidate in servers[environment]?.queue.removeAll() ?? [] { drop(candidate) }
        }
    }

    /// A pause that is longer than a run should stand still: the next run sends what is due after it.
    private mutating func closeIfPaused(_ environment: Environment, now: Duration) {
        guard let pacer = servers[environment]?.pacer, pacer.inFlight == 0, !pacer.hasNews,
            pacer.pause(now: now) > Self.longestPause, !isStopping
        else { return }
        result.pauses[environment] = max(result.pauses[environment] ?? .zero, pacer.pause(now: now))
        close(environment, "paused")
    }

    private mutating func giveUp() {
        guard !isGivenUp else { return }
        isGivenUp = true
        if inFlight > 0 { run.sender.giveUp() }
    }

    /// A run that has nothing to do looks once more, so that it does not leave on old knowledge.
    private mutating func noteIdleness(now: Duration) {
        guard isIdle, !mayClaim else {
            idleSince = nil
            return
        }
        guard idleSince == nil else { return }
        idleSince = now
        shards.forgetSigns()
        if shards.mayGain(idle: now) { shards.lookSoon(now: now) }
    }

    /// Renews, takes and gives back shards, when it is time.
    private mutating func look(_ group: inout TaskGroup<Happening>, now: Duration) {
        guard !isLooking, failure == nil, now >= shards.nextLook, !isDone else { return }
        isLooking = true
        group.addTask { [run, worker, start, drained = shards.drained] in
            do throws(StoreFailure) {
                // A look that was tried again tells of leases that are longer than thought, never shorter.
                let holdings = try await run.retrying { () async throws(StoreFailure) in
                    try await run.store.holdShards(worker, givingBack: drained, now: start, app: run.options.app)
                }
                return .held(holdings, asked: now)
            } catch {
                return .holdFailed(error)
            }
        }
    }

    /// Reads more rows of the line that has fewest of its portion waiting.
    private mutating func claim(_ group: inout TaskGroup<Happening>) {
        guard !isStopping, !isClaiming, claimable > 0, unsaved < run.options.unsavedLimit else { return }
        let open = Line.all.filter { claims[$0]?.isExhausted == false }
        let lines = open.map { line in (line: line, portion: portion(of: line, among: open), queued: queued(line)) }
        guard
            let next = lines.filter({ $0.queued <= $0.portion })
                .min(by: { $0.queued * $1.portion < $1.queued * $0.portion }),
            let sweep = claims[next.line]?.next
        else { return }
        isClaiming = true
        group.addTask { [run, start, line = next.line, limit = min(next.portion, claimable)] in
            do throws(StoreFailure) {
                let rows = try await run.retrying { () async throws(StoreFailure) in
                    try await run.store.dueReceipts(
                        now: start, rank: line.rank, after: sweep.cursor, limit: limit, app: run.options.app,
                        environment: line.environment, shards: sweep.shards.sorted())
                }
                return .claimed(rows, line: line, sweep: sweep.number)
            } catch {
                return .claimFailed(error)
            }
        }
    }

    /// How many rows of a line are read at once: its share of a batch, and that of the ranks in which nothing is left.
    private func portion(of line: Line, among open: [Line]) -> Int {
        let shares = open.filter { $0.environment == line.environment }.reduce(0) { $0 + $1.rank.share }
        let size = run.options.batchSize
        return max(size * line.rank.share / shares, min(size, RefreshOptions.leastPortion))
    }

    private func queued(_ line: Line) -> Int { servers[line.environment]?.queue.count(of: line.rank) ?? 0 }

    /// Asks the shared budget for more times to send at, when they are about to run out, and tells it of 429s.
    private mutating func askPace(
        of environment: Environment, _ group: inout TaskGroup<Happening>, now: Duration
    ) {
        guard failure == nil else { return }
        let wanted = isStopping ? 0 : servers[environment]?.wanted(now: now) ?? 0
        guard let request = servers[environment]?.pacer.ask(for: wanted, now: now) else { return }
        group.addTask { [run] in
            do throws(StoreFailure) {
                let slice = try await run.retrying { () async throws(StoreFailure) in
                    try await run.store.takeSlice(request, from: environment)
                }
                return .paced(slice, request, environment)
            } catch {
                return .paceFailed(error)
            }
        }
    }

    /// Sends what lanes and pace allow; returns when the pace will allow more, where that is what it waits for.
    private mutating func send(
        to environment: Environment, _ group: inout TaskGroup<Happening>, now: Duration
    ) -> Duration? {
        while let candidate = servers[environment]?.queue.next, unsaved < run.options.unsavedLimit {
            guard let lane = candidate.lane else {
                holdNext(of: environment, now: now)
                continue
            }
            let admission = admission(to: lane)
            switch admission {
            case .hold: holdNext(of: environment, now: now)
            case .wait: servers[environment]?.queue.parkFirst(for: lane)
            case .send, .probe:
                switch servers[environment]?.breaker.admission(now: now) {
                case .wait(let until): return until
                case .probing, .stopped, nil: return nil
                case .send: break
                }
                let isTelling = admission == .probe || servers[environment]?.breaker.isOpen == true
                // What another key is to be tried for tells most.
                if isTelling, candidate.refusedKeys.isEmpty {
                    preferProbe(of: lane, at: environment)
                }
                // Asked anew for each row: the process may have been stopped since the loop began.
                guard let first = servers[environment]?.queue.next,
                    shards.maySend(first.due.schedule.shard, first.token.counter, now: run.timer.now())
                else {
                    shards.lookSoon(now: now)
                    return nil
                }
                switch servers[environment]?.pacer.take(now: now) {
                case .granted: sendNext(of: environment, through: lane, &group, now: now)
                case .wait(let until): return until
                case .full, .empty, nil: return nil
                }
            }
        }
        return nil
    }

    /// What a lane says to the next of its rows.
    func admission(to lane: Lane) -> Lanes.Admission {
        lanes.admission(to: lane, waiting: servers[lane.environment]?.queue.count(of: lane) ?? 0)
    }

    private mutating func preferProbe(of lane: Lane, at environment: Environment) {
        var random = random
        let isTroubled = lanes.isInDoubt(lane) || servers[environment]?.breaker.isOpen == true
        // What verified last speaks best for a lane; of a URL that has only ever said 404, a key that must have data.
        let hasAnswered = servers[environment]?.hasAnswered ?? false
        let now = run.clock.now()
        servers[environment]?.queue.preferProbe(
            of: lane,
            where: { due in
                hasAnswered
                    ? due.schedule.lastOutcome == .replaced
                    : due.wasAttested(within: ReplyPolicy.surelyKnown, before: now)
            }, orAny: isTroubled, using: &random)
        self.random = random
    }

    private mutating func sendNext(
        of environment: Environment, through lane: Lane, _ group: inout TaskGroup<Happening>, now: Duration
    ) {
        guard var candidate = servers[environment]?.queue.popFirst() else { return }
        if candidate.sentTime == nil {
            candidate.sentTime = run.clock.now()
            result.summary.sent += 1
        }
        lanes.sent(through: lane)
        servers[environment]?.breaker.sent(now: now)
        group.addTask { [sender = run.sender, verifier = run.verifier, clock = run.clock, candidate] in
            let due = candidate.due
            let reply = await sender.send(
                due.receipt, app: due.appID, environment: due.environment, refusedKeys: candidate.refusedKeys)
            let time = clock.now()
            let finding = Finding(reply.reply) { answer throws(AnswerFault) in
                try verifier.verify(answer, to: due, serverDate: reply.date, now: time)
            }
            return .answered(
                Answer(
                    candidate: candidate, lane: lane, sent: now, reply: reply, finding: finding, time: time))
        }
    }

    /// Passes a row over: its lane has stopped, or its app is not configured.
    ///
    /// What a stopped lane has not sent stays as it is, and due, so that the next run shows whether the cause is
    /// mended. A row without an app would only be in the way of others, so it is put off.
    private mutating func holdNext(of environment: Environment, now: Duration) {
        guard let candidate = servers[environment]?.queue.popFirst() else { return }
        let time = run.clock.now()
        guard candidate.lane != nil, candidate.sentTime == nil else {
            if candidate.lane == nil { result.concerns.unconfigured[candidate.due.appID, default: 0] += 1 }
            end(candidate, KeptRow(due: candidate.due, now: time).held(using: &random), time: time, now: now)
            return
        }
        leave(candidate, failure: "lane_stopped", time: time)
    }

    mutating func end(_ candidate: Candidate, _ row: ScheduleRow, time: Instant, now: Duration) {
        let outcome = Outcome(
            due: candidate.due, sentTime: candidate.sentTime, reply: candidate.refusal?.reply, ending: .kept(row),
            token: candidate.token)
        batch.append(Trip(outcome: outcome, failure: candidate.refusal?.failure, time: time), now: now)
    }

    /// Brings the answers that have come since the last time to the disk.
    private mutating func journal(_ group: inout TaskGroup<Happening>, now: Duration) {
        guard let journal = run.journal, let trips = journaling.next(now: now, isLast: inFlight == 0) else { return }
        group.addTask {
            do throws(JournalFailure) {
                let place = try await journal.append(trips.compactMap(JournalEntry.init))
                return .journaled(trips.map { $0.placed(place) })
            } catch {
                return .journalFailed(error, trips)
            }
        }
    }

    private mutating func store(_ group: inout TaskGroup<Happening>, now: Duration) {
        let isLast = isIdle && (isStopping || !mayClaim)
        guard let trips = batch.next(now: now, isLast: isLast) else { return }
        group.addTask { [run] in
            do throws(StoreFailure) {
                // A batch whose commit got lost on the way may be stored again: what is merged already stays as it is.
                let outcomes = try await run.retrying { () async throws(StoreFailure) in
                    try await run.store.store(trips.map(\.outcome), now: run.clock.now())
                }
                // What the database refused stays in the journal: it is nowhere else.
                let settled = zip(trips, outcomes).filter { $1.refusal == nil }.map(\.0)
                await run.journal?.settle(settled.places)
                return .stored(trips, outcomes)
            } catch {
                return .storeFailed(error, trips)
            }
        }
    }

    /// One timer is enough, unless a later thought wants to be woken earlier.
    private mutating func wakeUp(at time: Duration, _ group: inout TaskGroup<Happening>) {
        guard timers.allSatisfy({ time < $0 }) else { return }
        timers.append(time)
        group.addTask { [timer = run.timer] in
            await timer.sleep(until: time)
            return .woke(time)
        }
    }
}
