import AppAttest

/// Stores what earlier runs received and could not store, from their journals.
///
/// Each answer is judged as it would have been when it came; see `AnswerJudge`.
/// The merge keeps the later receipt, so a second replay changes nothing. A key that was erased stays so, and one that
/// is on record anew gets nothing from before.
struct Replay {
    /// The run that does it.
    let run: RefreshRun
    /// Where the journals are.
    let journal: any AnswerJournaling
    /// The run's result, with what the replay adds to it.
    var result: RunResult

    private var judge: AnswerJudge

    /// Nothing has been read.
    init(run: RefreshRun, journal: any AnswerJournaling, result: RunResult) {
        self.run = run
        self.journal = journal
        self.result = result
        self.judge = AnswerJudge(verifier: run.verifier, cadences: run.options.cadences, random: run.random)
    }

    /// Why a replay ended early; what it had not finished is left for the next run.
    enum Failure: Error {
        /// A journal cannot be read.
        case journal(JournalFailure)
        /// The store is away.
        case store(StoreFailure)
    }

    /// Replays every journal that no run holds; a request to end is heeded in between.
    mutating func replayAll() async throws(Failure) {
        while !run.stopRequested(),
            try await journaled({ () async throws(JournalFailure) in try await journal.takeLeft() })
        {
            let before = result.replay
            while true {
                let limit = run.options.batchSize
                let entries = try await journaled { () async throws(JournalFailure) in
                    try await journal.readLeft(limit: limit)
                }
                if entries.isEmpty { break }
                do throws(StoreFailure) { try await replay(entries) } catch { throw .store(error) }
            }
            let keeping = result.replay.remainder(since: before)
            let end = try await journaled { () async throws(JournalFailure) in
                try await journal.finishLeft(keeping: keeping)
            }
            if let damage = end.damage { result.replay.damages.append(damage) }
            if let path = end.keptPath { result.replay.keptPaths.append(path) }
        }
    }

    private func journaled<Value: Sendable>(
        _ work: () async throws(JournalFailure) -> Value
    ) async throws(Failure) -> Value {
        do { return try await work() } catch { throw .journal(error) }
    }

    private mutating func replay(_ entries: [JournalEntry]) async throws(StoreFailure) {
        let keys = entries.map(\.keyID)
        let rows = try await run.retrying { () async throws(StoreFailure) in try await run.store.receipts(of: keys) }
        let rowOfKey = Dictionary(rows.map { ($0.keyID, $0) }, uniquingKeysWith: { first, _ in first })
        var trips: [Trip] = []
        for entry in entries {
            guard let row = rowOfKey[entry.keyID], row.owns(entry) else {
                result.replay.erased += 1
                continue
            }
            if let trip = judge(entry, row) { trips.append(trip) }
        }
        let outcomes = trips.map(\.outcome)
        guard !outcomes.isEmpty else { return }
        let stored = try await run.retrying { () async throws(StoreFailure) in
            try await run.store.store(outcomes, now: run.clock.now())
        }
        for (trip, stored) in zip(trips, stored) { result.noteReplayed(trip, stored, run.observer) }
    }

    /// The trip of an entry whose answer verifies; another is counted.
    private mutating func judge(_ entry: JournalEntry, _ row: DueReceipt) -> Trip? {
        switch judge.judge(entry, row) {
        case .verified(let outcome):
            return Trip(outcome: outcome, failure: nil, time: entry.receivedTime)
        case .unverified(let word):
            result.replay.unverified[word, default: 0] += 1
            return nil
        }
    }
}

extension RunResult {
    /// Counts and tells what became of a replayed answer. It was sent by another run, which has counted that.
    fileprivate mutating func noteReplayed(_ trip: Trip, _ stored: StoredOutcome, _ observer: any RunObserver) {
        if let sqlState = stored.refusal {
            refusals[sqlState, default: 0] += 1
            replay.refused += 1
        } else {
            summary.replayed += 1
        }
        if stored.isReadingOutdated { outdatedReadings += 1 }
        summary.count(stored.flagChange)
        observer.outcome(trip.event(stored: stored))
    }
}
