import Synchronization
import System

/// A request and who waits for its answer.
struct QueuedRequest: Sendable {
    let request: HTTPRequest
    let continuation: CheckedContinuation<Result<HTTPResponse, HTTPError>, Never>
}

/// The way from many callers to the one thread that drives libcurl.
///
/// A class because both sides share it.
final class TransferQueue: Sendable {
    private struct State {
        var requests: [QueuedRequest] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    /// Rung when there is something to take.
    let bell: WakeUp

    /// An empty queue.
    init() throws(SystemError) {
        bell = try WakeUp()
    }

    /// Appends a request. Only the first of a batch rings, so that a busy thread costs its callers no system call.
    func add(_ request: QueuedRequest) {
        let isFirst = state.withLock { state in
            state.requests.append(request)
            return state.requests.count == 1
        }
        if isFirst { bell.ring() }
    }

    /// Tells the thread to end.
    func close() {
        state.withLock { $0.isClosed = true }
        bell.ring()
    }

    /// Everything that waits, in order, and whether the queue was closed; the bell is silent afterwards.
    func takeAll() -> (requests: [QueuedRequest], isClosed: Bool) {
        // Cleared before the queue is emptied: what is added in between rings again.
        bell.clear()
        return state.withLock { state in
            defer { state.requests.removeAll(keepingCapacity: true) }
            return (state.requests, state.isClosed)
        }
    }
}
