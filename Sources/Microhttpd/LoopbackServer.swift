import CMicrohttpd

/// An HTTP/1.1 server on 127.0.0.1 that does its work on the thread that calls `run`, and only then.
@safe
package final class LoopbackServer {
    /// The port that the kernel picked.
    package let port: UInt16
    /// Readable when there is work for `run`.
    package let descriptor: Int32

    private let daemon: OpaquePointer
    private let context: Unmanaged<Context>

    /// Starts to listen; `handler` answers each whole request, `monotonic` counts milliseconds for delays.
    ///
    /// Nil when libmicrohttpd could not start. `headers` names the request headers that reach the handler.
    package init?(
        headers: [String], monotonic: @escaping () -> Int64, handler: @escaping (HTTPRequest) -> HTTPResponse
    ) {
        let context = unsafe Unmanaged.passRetained(
            Context(headers: headers, monotonic: monotonic, handler: handler))
        let daemon = unsafe aw_start_on_loopback(
            receivedPart, completedRequest, context.toOpaque(), Self.connectionLimit)
        guard let daemon = unsafe daemon else {
            unsafe context.release()
            return nil
        }
        unsafe self.daemon = daemon
        unsafe self.context = context
        port = unsafe aw_bound_port(daemon)
        descriptor = unsafe aw_epoll_descriptor(daemon)
    }

    deinit {
        // libmicrohttpd must not be stopped while a request is held back.
        unsafe context.takeUnretainedValue().resumeHeldBack(until: .max)
        unsafe MHD_stop_daemon(daemon)
        unsafe context.release()
    }

    /// Does what can be done now, without waiting.
    package func run() {
        let state = unsafe context.takeUnretainedValue()
        state.resumeHeldBack(until: state.monotonic())
        unsafe MHD_run(daemon)
    }

    /// How long the owner may wait for `descriptor` before it must call `run`; nil for as long as it likes.
    package var timeoutMilliseconds: Int64? {
        let state = unsafe context.takeUnretainedValue()
        var wanted: UInt64 = 0
        let own: Int64? = unsafe MHD_get_timeout(daemon, &wanted) == .YES ? Int64(clamping: wanted) : nil
        let held = state.nextDue.map { max(0, $0 - state.monotonic()) }
        return [own, held].compactMap { $0 }.min()
    }

    /// nginx keeps one connection for each request that waits.
    private static let connectionLimit: UInt32 = 4096
}

/// What the C callbacks reach through their owner pointer.
@safe
private final class Context {
    let headers: [String]
    let monotonic: () -> Int64
    let handler: (HTTPRequest) -> HTTPResponse
    private var heldBack: [HeldBack] = []

    init(headers: [String], monotonic: @escaping () -> Int64, handler: @escaping (HTTPRequest) -> HTTPResponse) {
        self.headers = headers
        self.monotonic = monotonic
        self.handler = handler
    }

    var nextDue: Int64? { heldBack.map(\.due).min() }

    func holdBack(_ connection: OpaquePointer, milliseconds: Int64) {
        unsafe MHD_suspend_connection(connection)
        unsafe heldBack.append(HeldBack(due: monotonic() + milliseconds, connection: connection))
    }

    func resumeHeldBack(until time: Int64) {
        for entry in heldBack where entry.due <= time { unsafe MHD_resume_connection(entry.connection) }
        heldBack.removeAll { $0.due <= time }
    }
}

/// A connection whose answer waits for its time.
@safe
private struct HeldBack {
    let due: Int64
    let connection: OpaquePointer
}

/// One request while it comes in and while its answer is held back.
private final class Exchange {
    var body: [UInt8] = []
    var response: HTTPResponse?
}

/// Called when the headers are there, for each part of the body, at its end, and after a held-back answer's time.
private func receivedPart(
    owner: UnsafeMutableRawPointer?, connection: OpaquePointer?, url: UnsafePointer<CChar>?,
    method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?, part: UnsafePointer<CChar>?,
    partSize: UnsafeMutablePointer<Int>?, exchangeSlot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let owner = unsafe owner, let connection = unsafe connection, let url = unsafe url,
        let method = unsafe method, let partSize = unsafe partSize, let exchangeSlot = unsafe exchangeSlot
    else { return .NO }
    guard let known = unsafe exchangeSlot.pointee else {
        unsafe exchangeSlot.pointee = Unmanaged.passRetained(Exchange()).toOpaque()
        return .YES
    }
    let exchange = unsafe Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
    if unsafe partSize.pointee > 0 {
        unsafe exchange.body += UnsafeRawBufferPointer(start: part, count: partSize.pointee)
        unsafe partSize.pointee = 0
        return .YES
    }
    if let response = exchange.response { return unsafe queue(response, on: connection) }
    let context = unsafe Unmanaged<Context>.fromOpaque(owner).takeUnretainedValue()
    var headers: [String: String] = [:]
    for name in context.headers {
        if let value = unsafe aw_request_header(connection, name) { headers[name] = unsafe String(cString: value) }
    }
    let response = context.handler(
        HTTPRequest(
            method: unsafe String(cString: method), path: unsafe String(cString: url), body: exchange.body,
            headers: headers))
    if response.delayMilliseconds > 0 {
        exchange.response = response
        unsafe context.holdBack(connection, milliseconds: response.delayMilliseconds)
        return .YES
    }
    return unsafe queue(response, on: connection)
}

/// Called once for each request that was begun.
private func completedRequest(
    owner: UnsafeMutableRawPointer?, connection: OpaquePointer?,
    exchangeSlot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, reason: MHD_RequestTerminationCode
) {
    guard let exchangeSlot = unsafe exchangeSlot, let exchange = unsafe exchangeSlot.pointee else { return }
    unsafe Unmanaged<Exchange>.fromOpaque(exchange).release()
    unsafe exchangeSlot.pointee = nil
}

private func queue(_ response: HTTPResponse, on connection: OpaquePointer) -> MHD_Result {
    var body = response.body
    let made = unsafe body.withUnsafeMutableBytes {
        unsafe response.isCutInHalf
            ? aw_response_cut_in_half($0.baseAddress, $0.count) : aw_response_copying($0.baseAddress, $0.count)
    }
    guard let message = unsafe made else { return .NO }
    defer { unsafe MHD_destroy_response(message) }
    for header in response.headers {
        guard unsafe MHD_add_response_header(message, header.name, header.value) == .YES else { return .NO }
    }
    return unsafe MHD_queue_response(connection, response.status, message)
}
