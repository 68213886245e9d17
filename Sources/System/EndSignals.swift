import CLinux
import Glibc

/// Turns the signals that are to end a process (TERM, INT, HUP, or CHLD: a child has ended) into something to read,
/// for an event loop to wait on.
///
/// To be made on the main thread before any other thread begins: threads inherit the blocked signals.
package struct EndSignals: ~Copyable {
    /// Readable once such a signal has come.
    package let descriptor: Int32

    private init(owning descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Blocks the signals and opens the descriptor.
    package static func caught() throws(SystemError) -> EndSignals {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in [SIGTERM, SIGINT, SIGHUP, SIGCHLD] { unsafe sigaddset(&set, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        let number = unsafe signalfd(-1, &set, Int32(SFD_CLOEXEC))
        guard number >= 0 else { throw SystemError(call: "signalfd", path: "signals", code: errno) }
        return EndSignals(owning: number)
    }
}
