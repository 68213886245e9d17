import CLinux
import Glibc

/// The kernel's list of descriptors somebody waits for (epoll(7)), level-triggered; closed when it goes out of scope.
@safe
package struct Epoll: ~Copyable {
    /// What to wait for on a descriptor.
    package struct Interest: OptionSet, Sendable {
        /// One bit each.
        package let rawValue: UInt8

        /// Takes bits.
        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Until there is something to read, or nothing will come any more.
        package static let read = Interest(rawValue: 1)
        /// Until there is room to write.
        package static let write = Interest(rawValue: 2)
    }

    /// A descriptor on which something can be done.
    package struct Event: Hashable, Sendable {
        /// Which one.
        package let descriptor: Int32
        /// There is something to read, or the end.
        package let isReadable: Bool
        /// There is room to write.
        package let isWritable: Bool
        /// The other end has gone or the descriptor is in error; reported whether asked for or not.
        package let hasFailed: Bool
    }

    private let number: Int32
    private var buffer: [epoll_event]

    /// An empty list that reports at most `batch` events a wait.
    package init(batch: Int) throws(SystemError) {
        number = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard number >= 0 else { throw SystemError(call: "epoll_create1", path: "epoll", code: errno) }
        unsafe buffer = [epoll_event](repeating: epoll_event(), count: batch)
    }

    deinit {
        close(number)
    }

    /// Begins to wait for `interest` on a descriptor that is not in the list.
    package func add(_ descriptor: Int32, _ interest: Interest) throws(SystemError) {
        try control(EPOLL_CTL_ADD, descriptor, interest)
    }

    /// Waits for something else on a descriptor that is in the list.
    package func change(_ descriptor: Int32, to interest: Interest) throws(SystemError) {
        try control(EPOLL_CTL_MOD, descriptor, interest)
    }

    /// Takes a descriptor off the list. One that was closed in the meantime has left it by itself.
    package func remove(_ descriptor: Int32) {
        _ = epoll_ctl(number, EPOLL_CTL_DEL, descriptor, nil)
    }

    /// Waits until something can be done, for at most `milliseconds` (nil: without end); empty when the time is over.
    package mutating func wait(milliseconds: Int32?) throws(SystemError) -> [Event] {
        let limit = unsafe Int32(buffer.count)
        let count = unsafe buffer.withUnsafeMutableBufferPointer { buffer in
            unsafe epoll_wait(number, buffer.baseAddress, limit, milliseconds ?? -1)
        }
        guard count >= 0 else {
            if errno == EINTR { return [] }
            throw SystemError(call: "epoll_wait", path: "epoll", code: errno)
        }
        return unsafe buffer.prefix(Int(count)).map { event in
            unsafe Event(
                descriptor: event.data.fd,
                isReadable: event.events & EPOLLIN.rawValue != 0,
                isWritable: event.events & EPOLLOUT.rawValue != 0,
                hasFailed: event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0)
        }
    }

    private func control(_ operation: Int32, _ descriptor: Int32, _ interest: Interest) throws(SystemError) {
        var event = unsafe epoll_event()
        if interest.contains(.read) { unsafe event.events |= EPOLLIN.rawValue }
        if interest.contains(.write) { unsafe event.events |= EPOLLOUT.rawValue }
        unsafe event.data.fd = descriptor
        guard unsafe epoll_ctl(number, operation, descriptor, &event) == 0 else {
            throw SystemError(call: "epoll_ctl", path: "descriptor \(descriptor)", code: errno)
        }
    }
}
