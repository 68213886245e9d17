import Synchronization

/// How a run puts up with a database that is away: it tries again for a while, and says so once.
///
/// Reading and storing go on side by side and share what is said: one outage is told of once, however many wait for
/// its end.
package final class StorePatience: Sendable {
    /// The waits between tries; the last one repeats.
    private static let waits: [Duration] = [.seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(15)]

    private let limit: Duration
    private let deadline: Duration?
    private let timer: any PaceTimer
    private let observer: any RunObserver
    private let stopRequested: @Sendable () -> Bool
    // How many wait for the store at present.
    private let waiting = Mutex(0)

    /// Patience of `options`, which ends with the run's longest duration, counted from now.
    package init(
        _ options: RefreshOptions, timer: any PaceTimer, observer: any RunObserver,
        stopRequested: @escaping @Sendable () -> Bool
    ) {
        self.limit = options.patience
        self.deadline = options.maxDuration.map { timer.now() + $0 }
        self.timer = timer
        self.observer = observer
        self.stopRequested = stopRequested
    }

    /// Works with the store, again and again while it is away. A request to stop, and the end of the time, leave it one
    /// more try: a connection that was dropped is made anew by that.
    ///
    /// - Parameter work: may be done twice, since what was lost can be the word that it is done.
    /// - Throws: the last failure; one that is not about being away at once.
    package func retrying<Value: Sendable>(
        _ work: () async throws(StoreFailure) -> Value
    ) async throws(StoreFailure) -> Value {
        var tries = 0
        var end: Duration?
        var isTold = false
        while true {
            do throws(StoreFailure) {
                let value = try await work()
                if isTold { ended(isBack: true) }
                return value
            } catch {
                let now = timer.now()
                let until = end ?? min(now + limit, deadline ?? .seconds(Int64.max / 4))
                let isOver = now >= until || stopRequested() || Task.isCancelled
                guard error.isPassing, !isOver || tries == 0 else {
                    if isTold { ended(isBack: false) }
                    throw error
                }
                tries += 1
                guard !isOver else { continue }
                if !isTold { began(error, for: until - now) }
                isTold = true
                end = until
                let wait = Self.waits[min(tries, Self.waits.count) - 1]
                await timer.sleep(until: min(now + wait, until))
            }
        }
    }

    private func began(_ failure: StoreFailure, for patience: Duration) {
        let isFirst = waiting.withLock { waiting in
            waiting += 1
            return waiting == 1
        }
        if isFirst { observer.storeAway(failure, patience: patience) }
    }

    private func ended(isBack: Bool) {
        let isLast = waiting.withLock { waiting in
            waiting -= 1
            return waiting == 0
        }
        if isLast, isBack { observer.storeBack() }
    }
}

extension StoreFailure {
    /// Whether the same may work a moment later.
    fileprivate var isPassing: Bool {
        switch self {
        case .unavailable: true
        case .statementFailed, .schemaMismatch: false
        }
    }
}
