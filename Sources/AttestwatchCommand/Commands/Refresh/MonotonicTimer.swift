import Refresh

/// Elapsed time for a run's pace, from a clock that does not move with the wall clock.
struct MonotonicTimer: PaceTimer {
    // How long a request to end may go unnoticed while a run waits, for instance for a data server's Retry-After.
    private static let longestSleep = Duration.milliseconds(500)

    private let start = ContinuousClock().now
    private let stopRequested: @Sendable () -> Bool

    /// A timer whose sleeps end early once `stopRequested` says so.
    init(stopRequested: @escaping @Sendable () -> Bool) {
        self.stopRequested = stopRequested
    }

    func now() -> Duration {
        ContinuousClock().now - start
    }

    func sleep(until time: Duration) async {
        while now() < time, !stopRequested() {
            let end = min(time, now() + Self.longestSleep)
            // A cancelled sleep throws, and then the caller no longer waits for anything.
            guard (try? await Task.sleep(until: start + end, clock: .continuous)) != nil else { return }
        }
    }
}
