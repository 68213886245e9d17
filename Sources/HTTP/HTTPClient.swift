import CCurl
import System

/// Sends requests over libcurl, hundreds at once over a few HTTP/2 connections, from one thread of its own.
///
/// The thread ends, and has ended, when the last reference goes; nobody can be waiting for an answer then, since who
/// waits holds a reference.
package final class HTTPClient: Sendable {
    private let queue: TransferQueue
    private let thread: Thread

    /// Starts the thread; nothing is connected before the first request.
    package init(_ settings: HTTPSettings) throws(SystemError) {
        queue = try TransferQueue()
        let loop = try TransferLoop(queue: queue, settings: settings)
        thread = try Thread(name: "http") { loop.run() }
    }

    deinit {
        queue.close()
        thread.join()
    }

    /// Sends a request and waits for its answer, whatever its status; ends by the time limits at the latest.
    package func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
        let result = await withCheckedContinuation { continuation in
            queue.add(QueuedRequest(request: request, continuation: continuation))
        }
        return try result.get()
    }

    /// Ends every request that is on its way, at once, as cut, but for those whose answer has come; later ones are cut
    /// unsent.
    package func giveUp() {
        queue.giveUp()
    }
}
