import Glibc

/// Milliseconds on a clock that only goes forward and stands at no particular date; for time limits, never for dates.
package func monotonicMilliseconds() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
}
