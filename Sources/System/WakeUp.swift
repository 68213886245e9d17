import CLinux
import Glibc

/// A bell between threads (eventfd(2)): rung from any thread, heard by the one that waits on its descriptor.
///
/// A class because the ringer and the waiter share one descriptor, which is closed with the last reference.
package final class WakeUp: Sendable {
    /// Readable from the first ring until `clear`.
    package let descriptor: Int32

    /// A bell that has not rung.
    package init() throws(SystemError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { throw SystemError(call: "eventfd", path: "eventfd", code: errno) }
    }

    deinit {
        close(descriptor)
    }

    /// Rings; rings before the next `clear` count as one.
    package func ring() {
        // Can only fail when 2^64 - 1 rings wait to be heard; the descriptor is readable then all the same.
        _ = eventfd_write(descriptor, 1)
    }

    /// Makes the bell silent again.
    package func clear() {
        var rings: eventfd_t = 0
        // Fails where nobody has rung, which is the state wanted.
        _ = unsafe eventfd_read(descriptor, &rings)
    }
}
