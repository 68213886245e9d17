import AppAttest
import Glibc

/// The machine's real-time clock.
package struct SystemClock: WallClock {
    package init() {}

    package func now() -> Instant {
        Instant(microseconds: Self.microseconds())
    }

    /// The present time as a number, for programs that share no nouns with the receipts' reader.
    package static func microseconds() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}

/// Milliseconds on a clock that only goes forward and stands at no particular date; for time limits, never for dates.
package func monotonicMilliseconds() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
}
