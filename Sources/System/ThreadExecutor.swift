import CLinux
import Glibc
import Synchronization

/// Runs an actor's jobs one after another on a thread of its own, so that calls that block keep off the cooperative
/// pool.
///
/// The thread keeps its executor alive until `stop()` is called; the owning actor calls it when it goes.
package final class ThreadExecutor: SerialExecutor {
    private struct Queue {
        var jobs: [UnownedJob] = []
        var isStopped = false
    }

    private let queue = Mutex(Queue())
    /// An eventfd: its count is above zero while there may be work. Closed by the thread as its last act.
    private let wake: Int32

    /// Starts the thread.
    ///
    /// - Throws: `SystemError` when the system has no descriptor or thread left.
    package init() throws(SystemError) {
        wake = eventfd(0, Int32(EFD_CLOEXEC))
        guard wake >= 0 else { throw SystemError(call: "eventfd", path: "executor", code: errno) }
        try start()
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let wasEmpty = queue.withLock { queue in
            queue.jobs.append(job)
            return queue.jobs.count == 1
        }
        if wasEmpty { signal() }
    }

    /// Ends the thread after the jobs that are queued; nothing may be enqueued afterwards.
    package func stop() {
        queue.withLock { $0.isStopped = true }
        signal()
    }

    private func start() throws(SystemError) {
        var thread = pthread_t()
        // The thread's own reference; `work` takes it over.
        let reference = unsafe Unmanaged.passRetained(self)
        let code = unsafe pthread_create(
            &thread, nil,
            { reference in
                guard let reference = unsafe reference else { return nil }
                unsafe Unmanaged<ThreadExecutor>.fromOpaque(reference).takeRetainedValue().work()
                return nil
            }, reference.toOpaque())
        guard code == 0 else {
            unsafe reference.release()
            close(wake)
            throw SystemError(call: "pthread_create", path: "executor", code: code)
        }
        pthread_detach(thread)
    }

    private func work() {
        while true {
            let (jobs, isStopped) = queue.withLock { queue in
                defer { queue.jobs = [] }
                return (queue.jobs, queue.isStopped)
            }
            for job in jobs {
                unsafe job.runSynchronously(on: asUnownedSerialExecutor())
            }
            if jobs.isEmpty {
                if isStopped { break }
                var count: UInt64 = 0
                _ = unsafe read(wake, &count, MemoryLayout<UInt64>.size)
            }
        }
        close(wake)
    }

    private func signal() {
        var one: UInt64 = 1
        _ = unsafe write(wake, &one, MemoryLayout<UInt64>.size)
    }
}
