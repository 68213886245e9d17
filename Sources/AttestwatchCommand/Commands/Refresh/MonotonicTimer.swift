import Refresh

/// Elapsed time for a run's pace, from a clock that does not move with the wall clock.
package struct MonotonicTimer: PaceTimer {
    // How long a request to end may go unnoticed while a run waits, for instance for a data server's Retry-After.
    private static let longestSleep = Duration.milliseconds(500)

    private let start = ContinuousClock().now
    private let stopRequested: @Sendable () -> Bool

    /// A timer whose sleeps end early once `stopRequested` says so. One begun after that lasts: whoever sleeps then
    /// knows of the request, and waits for something else.
    package init(stopRequested: @escaping @Sendable () -> Bool) {
        self.stopRequested = stopRequested
    }

    package func now() -> Duration {
        ContinuousClock().now - start
    }

    package func sleep(until time: Duration) async {
        let isAwaited = !stopRequested()
        while now() < time, !(isAwaited && stopRequested()) {
            let end = min(time, now() + Self.longestSleep)
            // A cancelled sleep throws, and then the caller no longer waits for anything.
            guard (try? await Task.sleep(until: start + end, clock: .continuous)) != nil else { return }
        }
    }
}
