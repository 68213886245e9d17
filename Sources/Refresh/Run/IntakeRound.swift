import AppAttest

/// Takes in what back ends have handed over: what came one by one first, then what came in bulk; the apps in turn, so
/// that none waits for all of another's.
struct IntakeRound {
    /// Of a run's time before it sends: what waits is known to be good or not soon, and a back-fill holds up no receipt
    /// that is about to expire.
    static let timeBeforeSending: Duration = .seconds(3)

    /// The run that does it.
    let run: RefreshRun
    /// Takes in a batch.
    let intake: any IntakeTaking
    /// Nothing more is begun from then on; nil: no end.
    let end: Duration?

    /// Takes in what waits as it begins, up to `end` or a request to stop, and counts it.
    func takeIn(into result: inout RunResult) async throws(StoreFailure) {
        let newest = try await run.retrying { () async throws(StoreFailure) in try await intake.newest() }
        let apps = run.options.app.map { [$0] } ?? run.options.teams.keys.sorted { $0.text < $1.text }
        for isBackFill in [false, true] {
            var places = apps.map { (queue: IntakeQueue(app: $0, isBackFill: isBackFill), last: Int64(0)) }
            while !places.isEmpty {
                for index in places.indices.reversed() {
                    guard mayBegin else { return }
                    let place = places[index]
                    // A batch whose commit got lost on the way is gone when it is looked for again, and not counted.
                    let step = try await run.retrying { () async throws(StoreFailure) in
                        try await intake.takeIn(
                            place.queue, after: place.last, through: newest, now: run.clock.now())
                    }
                    result.note(step)
                    if let last = step.last { places[index].last = last } else { places.remove(at: index) }
                }
            }
        }
    }

    private var mayBegin: Bool {
        !run.stopRequested() && end.map { run.timer.now() < $0 } ?? true
    }
}

extension RunResult {
    fileprivate mutating func note(_ step: IntakeStep) {
        summary.takenIn += step.takenIn
        summary.rejected += step.rejected
        deviceRefsIgnored += step.deviceRefsIgnored
        outdatedReadings += step.readingsOutdated
        for change in step.flagChanges { summary.count(change) }
    }
}
