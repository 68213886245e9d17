import Glibc

/// A TCP socket that listens on 127.0.0.1, on a port that the kernel picked; closed when it goes out of scope.
package struct ListeningSocket: ~Copyable {
    /// The kernel's number of the socket, close-on-exec and non-blocking.
    package let descriptor: Int32
    /// The port.
    package let port: UInt16

    private init(owning descriptor: Int32, port: UInt16) {
        self.descriptor = descriptor
        self.port = port
    }

    deinit { close(descriptor) }

    /// Picks a free port and listens on it: connections wait from here on, whoever accepts them later.
    package static func onLoopback() throws(SystemError) -> ListeningSocket {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard number >= 0 else { throw SystemError(call: "socket", path: "127.0.0.1", code: errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = unsafe withUnsafeMutableBytes(of: &address) { bytes -> Bool in
            guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return unsafe bind(number, start, length) == 0 && listen(number, 511) == 0
                && getsockname(number, start, &length) == 0
        }
        guard bound else {
            let reason = errno
            close(number)
            throw SystemError(call: "bind", path: "127.0.0.1", code: reason)
        }
        return ListeningSocket(owning: number, port: UInt16(bigEndian: address.sin_port))
    }
}
