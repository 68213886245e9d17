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
        var isGivenUp = false
    }

    /// What the thread finds.
    struct Taken {
        /// Everything that waits, in order.
        let requests: [QueuedRequest]
        /// Whether the queue was closed.
        let isClosed: Bool
        /// Whether everything on its way is to end now, and nothing more may be sent.
        let isGivenUp: Bool
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

    /// Tells the thread to end everything on its way, with what still waits and whatever comes later.
    func giveUp() {
        state.withLock { $0.isGivenUp = true }
        bell.ring()
    }

    /// Empties the queue; the bell is silent afterwards.
    func takeAll() -> Taken {
        // Cleared before the queue is emptied: what is added in between rings again.
        bell.clear()
        return state.withLock { state in
            defer { state.requests.removeAll(keepingCapacity: true) }
            return Taken(requests: state.requests, isClosed: state.isClosed, isGivenUp: state.isGivenUp)
        }
    }
}
