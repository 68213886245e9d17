import Glibc

// Clocks that stand at no particular date, for measuring; never for time limits or dates.

/// Microseconds of elapsed time on a clock that only goes forward.
package func monotonicMicroseconds() -> Int64 {
    microseconds(of: CLOCK_MONOTONIC)
}

/// Microseconds of CPU that all threads of this process have used so far, in the program and in the kernel.
package func processCPUMicroseconds() -> Int64 {
    microseconds(of: CLOCK_PROCESS_CPUTIME_ID)
}

/// The same for the calling thread alone.
package func threadCPUMicroseconds() -> Int64 {
    microseconds(of: CLOCK_THREAD_CPUTIME_ID)
}

private func microseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
}
