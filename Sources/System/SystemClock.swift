import AppAttest
import Glibc

/// The machine's real-time clock.
package struct SystemClock: WallClock {
    package init() {}

    package func now() -> Instant {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}
