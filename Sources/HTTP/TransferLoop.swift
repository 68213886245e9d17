import CCurl
import Glibc
import System

/// The event loop: libcurl says which sockets to watch and when to wake, epoll does both, all on one thread.
///
/// A class because libcurl's callbacks hold a pointer to it. It is made on one thread and handed to the one that runs
/// it.
@safe
final class TransferLoop {
    private static let givenUp = HTTPError.cut("given up by this program")

    private let queue: TransferQueue
    private let settings: HTTPSettings
    private let multi: UnsafeMutableRawPointer
    private var epoll: Epoll
    private var watched: Set<Int32> = []
    /// Why a socket could not be watched; whoever waits for it would wait until the time limit.
    private var watchFailure: SystemError?
    /// When libcurl wants to be called though nothing happened, in monotonic milliseconds.
    private var deadline: Int64?
    /// On their way, by the address of their easy handle.
    private var active: [Int: Transfer] = [:]
    /// Easy handles to use again: making one costs more than a request.
    private var idle: [Transfer] = []

    /// Makes libcurl's multi handle and the list of descriptors.
    init(queue: TransferQueue, settings: HTTPSettings) throws(SystemError) {
        let epoll = try Epoll(batch: 64)
        try epoll.add(queue.bell.descriptor, .read)
        self.epoll = epoll
        self.queue = queue
        self.settings = settings
        guard curlIsReady, let multi = unsafe curl_multi_init() else {
            throw SystemError(call: "curl_multi_init", path: "libcurl", code: ENOMEM)
        }
        unsafe self.multi = multi
        configure()
    }

    deinit {
        // This object is going: nothing may call it any more.
        unsafe aw_multi_set_socket(multi, nil, nil)
        unsafe aw_multi_set_timer(multi, nil, nil)
        for transfer in active.values { unsafe curl_multi_remove_handle(multi, transfer.easy) }
        unsafe curl_multi_cleanup(multi)
    }

    /// Runs until the queue is closed.
    func run() {
        while true {
            var isRung = false
            for event in waitForEvents() {
                if event.descriptor == queue.bell.descriptor {
                    isRung = true
                } else {
                    drive(event.descriptor, TransferLoop.mask(event))
                }
            }
            // Behind the sockets: an answer that has come is no longer given up.
            let isClosed = isRung && takeRequests()
            if let deadline, deadline <= monotonicMilliseconds() {
                self.deadline = nil
                drive(CURL_SOCKET_TIMEOUT, 0)
            }
            finishTransfers()
            if let failure = watchFailure {
                watchFailure = nil
                failTransfers(.connection("cannot wait for a connection: \(failure.call): \(failure.reason)"))
            }
            if isClosed { return }
        }
    }

    private func configure() {
        let owner = unsafe Unmanaged.passUnretained(self).toOpaque()
        let codes = unsafe [
            aw_multi_set_socket(multi, { unsafe socketChanged($0, $1, $2, $3, $4) }, owner),
            aw_multi_set_timer(multi, { unsafe timerChanged($0, $1, $2) }, owner),
            aw_multi_set_long(multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX),
            aw_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, settings.connectionsPerHost),
            aw_multi_set_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, settings.requestsPerConnection),
        ]
        precondition(codes.allSatisfy { $0 == CURLM_OK }, "libcurl 7.68 or later knows these options")
    }

    private func waitForEvents() -> [Epoll.Event] {
        var milliseconds: Int32?
        if let deadline {
            milliseconds = Int32(clamping: max(0, deadline - monotonicMilliseconds()))
        }
        do {
            return try epoll.wait(milliseconds: milliseconds)
        } catch {
            preconditionFailure("epoll_wait fails only for a wrong argument: \(error)")
        }
    }

    /// Starts what waits in the queue; true when the queue was closed.
    private func takeRequests() -> Bool {
        let taken = queue.takeAll()
        if taken.isGivenUp {
            // What came after the events were asked for is looked at once more.
            for socket in watched { drive(socket, CURL_CSELECT_IN) }
            finishTransfers()
            failTransfers(Self.givenUp)
            for request in taken.requests { request.continuation.resume(returning: .failure(Self.givenUp)) }
            return taken.isClosed
        }
        for request in taken.requests {
            let transfer = idle.popLast() ?? Transfer(settings)
            if let error = transfer.begin(request) {
                request.continuation.resume(returning: .failure(error))
                idle.append(transfer)
                continue
            }
            unsafe active[Int(bitPattern: transfer.easy)] = transfer
            check(unsafe curl_multi_add_handle(multi, transfer.easy))
        }
        return taken.isClosed
    }

    /// Tells libcurl what happened on a socket, or that its time has come.
    private func drive(_ socket: Int32, _ mask: Int32) {
        var running: Int32 = 0
        check(unsafe curl_multi_socket_action(multi, socket, mask, &running))
    }

    private func finishTransfers() {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let easy = unsafe message.pointee.easy_handle,
                let transfer = active.removeValue(forKey: Int(bitPattern: easy))
            else { continue }
            // Read before the handle leaves: the message lives no longer.
            let code = unsafe aw_result(message)
            check(unsafe curl_multi_remove_handle(multi, easy))
            transfer.finish(code)
            idle.append(transfer)
        }
    }

    /// Ends everything on its way: connections carry many requests, and libcurl alone knows which ones would wait in
    /// vain.
    private func failTransfers(_ failure: HTTPError) {
        for transfer in active.values {
            check(unsafe curl_multi_remove_handle(multi, transfer.easy))
            transfer.fail(failure)
            idle.append(transfer)
        }
        active = [:]
    }

    private func check(_ code: CURLMcode) {
        precondition(code == CURLM_OK, "libcurl's multi interface fails only for a wrong call or want of memory")
    }

    private static func mask(_ event: Epoll.Event) -> Int32 {
        (event.isReadable ? CURL_CSELECT_IN : 0) | (event.isWritable ? CURL_CSELECT_OUT : 0)
            | (event.hasFailed ? CURL_CSELECT_ERR : 0)
    }

    /// libcurl's wish about one socket. Where the kernel does not fulfil it, for instance at its limit of watches, that
    /// is kept for later: libcurl's multi handle is of no use any more after a callback that failed.
    fileprivate func watch(_ socket: Int32, _ what: Int32) {
        var interest: Epoll.Interest = []
        switch what {
        case CURL_POLL_IN: interest = .read
        case CURL_POLL_OUT: interest = .write
        case CURL_POLL_INOUT: interest = [.read, .write]
        default:
            watched.remove(socket)
            epoll.remove(socket)
            return
        }
        do throws(SystemError) {
            if watched.contains(socket) {
                try epoll.change(socket, to: interest)
            } else {
                try epoll.add(socket, interest)
                watched.insert(socket)
            }
        } catch {
            watchFailure = error
        }
    }

    /// libcurl's wish to be called in so many milliseconds; below zero, not at all.
    fileprivate func setTimer(_ milliseconds: Int) {
        deadline = milliseconds < 0 ? nil : monotonicMilliseconds() + Int64(milliseconds)
    }
}

/// libcurl's global state, made once for the process by whoever comes first.
private let curlIsReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

private func socketChanged(
    _ easy: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ what: Int32, _ owner: UnsafeMutableRawPointer?,
    _ assigned: UnsafeMutableRawPointer?
) -> Int32 {
    guard let owner = unsafe owner else { return -1 }
    let loop = unsafe Unmanaged<TransferLoop>.fromOpaque(owner).takeUnretainedValue()
    loop.watch(socket, what)
    return 0
}

private func timerChanged(
    _ multi: UnsafeMutableRawPointer?, _ milliseconds: Int, _ owner: UnsafeMutableRawPointer?
) -> Int32 {
    guard let owner = unsafe owner else { return -1 }
    unsafe Unmanaged<TransferLoop>.fromOpaque(owner).takeUnretainedValue().setTimer(milliseconds)
    return 0
}
