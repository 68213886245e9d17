import Glibc

/// Ends the traffic of a socket when its time is over, so that a call of a library that waits for the other end without
/// a limit of its own comes back with a failure.
package final class SocketTimeLimit: Sendable {
    private let bell: WakeUp
    private let thread: Thread

    /// Begins to wait. The socket must stay open until `lift` has returned.
    package init(_ socket: Int32, milliseconds: Int32) throws(SystemError) {
        let bell = try WakeUp()
        self.bell = bell
        thread = try Thread(name: "time-limit") {
            var wait = pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0)
            if unsafe poll(&wait, 1, milliseconds) == 0 { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    /// Lets the socket be, if its time is not over yet; has to be called in either case.
    package func lift() {
        bell.ring()
        thread.join()
    }
}
