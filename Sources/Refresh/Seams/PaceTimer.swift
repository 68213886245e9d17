/// Elapsed time for pacing and batching. It has nothing to do with dates, and does not move when the wall clock does.
package protocol PaceTimer: Sendable {
    /// The time since some fixed point of this process; never goes back.
    func now() -> Duration
    /// Returns at `time`, or at once when the calling task is cancelled.
    func sleep(until time: Duration) async
}
