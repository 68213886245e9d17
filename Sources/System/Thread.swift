import CLinux
import Glibc
import Synchronization

/// A thread of the program's own, for work that blocks and must stay out of Swift's cooperative pool.
///
/// Signals are blocked in it, so that they are taken where the program waits for them.
package final class Thread: Sendable {
    private let identifier: Mutex<pthread_t?>

    /// Starts `body` on a new thread, whose name (at most 15 bytes are kept) shows in `ps -L`.
    package init(name: String, _ body: sending @escaping () -> Void) throws(SystemError) {
        let start = unsafe Unmanaged.passRetained(ThreadStart(name: String(name.prefix(15)), body: body))
        var thread = pthread_t()
        let code = Thread.withSignalsBlocked {
            unsafe pthread_create(&thread, nil, { unsafe runThread($0) }, start.toOpaque())
        }
        guard code == 0 else {
            unsafe start.release()
            throw SystemError(call: "pthread_create", path: name, code: code)
        }
        identifier = Mutex(thread)
    }

    /// Waits until the thread's body has returned; the second call returns at once.
    package func join() {
        let thread = identifier.withLock { thread in
            defer { thread = nil }
            return thread
        }
        if let thread { _ = pthread_join(thread, nil) }
    }

    /// A new thread inherits the mask of the one that makes it.
    private static func withSignalsBlocked(_ make: () -> Int32) -> Int32 {
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        return make()
    }
}

/// What a new thread is handed through C's one pointer.
private final class ThreadStart {
    let name: String
    let body: () -> Void

    init(name: String, body: @escaping () -> Void) {
        self.name = name
        self.body = body
    }
}

/// The C entry of every thread: takes over the reference that `Thread.init` handed in.
private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    let start = unsafe Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
    _ = unsafe aw_name_this_thread(start.name)
    start.body()
    return nil
}
