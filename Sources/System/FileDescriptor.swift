import Glibc

/// A file descriptor that somebody else keeps open, for instance a standard stream; it is never closed here.
package struct FileDescriptor: Hashable, Sendable {
    /// The kernel's number.
    package let number: Int32
    /// What errors call it.
    package let name: String

    /// Borrows an open descriptor.
    package init(borrowing number: Int32, name: String) {
        self.number = number
        self.name = name
    }

    /// The process's standard input.
    package static let standardInput = FileDescriptor(borrowing: STDIN_FILENO, name: "standard input")
    /// The process's standard output.
    package static let standardOutput = FileDescriptor(borrowing: STDOUT_FILENO, name: "standard output")
    /// The process's standard error.
    package static let standardError = FileDescriptor(borrowing: STDERR_FILENO, name: "standard error")

    /// Whether a terminal is at the other end.
    package var isTerminal: Bool { isatty(number) == 1 }

    /// Writes all bytes, in as many calls as it takes.
    ///
    /// - Throws: what the kernel said; `EPIPE` when the reader has gone (with `SIGPIPE` ignored).
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        var offset = 0
        while offset < bytes.count {
            let written = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(number, buffer.baseAddress?.advanced(by: offset), buffer.count - offset)
            }
            if written >= 0 {
                offset += written
            } else if errno != EINTR {
                throw SystemError(call: "write", path: name, code: errno)
            }
        }
    }

    /// Goes on reading at this offset from a file's beginning.
    package func seek(to offset: Int64) throws(SystemError) {
        guard lseek(number, off_t(offset), SEEK_SET) == off_t(offset) else {
            throw SystemError(call: "lseek", path: name, code: errno)
        }
    }

    /// Waits until there is something to read, its end or an error among that; false when the time passes first.
    package func isReadable(withinMilliseconds time: Int32) -> Bool {
        var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        // What poll(2) cannot say, the read will.
        return unsafe poll(&entry, 1, time) != 0
    }

    /// Reads what is there, at most `limit` bytes; empty at the end of the file.
    package func read(upTo limit: Int) throws(SystemError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            var got = unsafe Glibc.read(number, buffer.baseAddress, limit)
            while got < 0 && errno == EINTR {
                got = unsafe Glibc.read(number, buffer.baseAddress, limit)
            }
            if got < 0 { failure = errno }
            count = max(got, 0)
        }
        if failure != 0 { throw SystemError(call: "read", path: name, code: failure) }
        return bytes
    }

    /// Everything from here to the end.
    ///
    /// - Throws: what the kernel said; `EFBIG` when there is more than `limit` bytes.
    package func readToEnd(limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let piece = try read(upTo: 65_536)
            if piece.isEmpty { return bytes }
            bytes += piece
            if bytes.count > limit { throw SystemError(call: "read", path: name, code: EFBIG) }
        }
    }
}
