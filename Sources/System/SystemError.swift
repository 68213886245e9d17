import Glibc

/// A system call that failed: which one, on what, and the kernel's reason.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call, for instance `open`.
    package let call: String
    /// The file or stream it was called for.
    package let path: String
    /// `errno` right after the call.
    package let code: Int32

    /// Puts the facts together.
    package init(call: String, path: String, code: Int32) {
        self.call = call
        self.path = path
        self.code = code
    }

    /// The kernel's reason in words, lower case at its start: `no such file or directory`.
    package var reason: String {
        guard let text = unsafe strerror(code) else { return "error \(code)" }
        let words = unsafe String(cString: text)
        return words.prefix(1).lowercased() + words.dropFirst()
    }

    package var description: String { "\(path): \(reason)" }
}

extension SystemError {
    /// Whether it says that the reader of a pipe has gone.
    package var isBrokenPipe: Bool { code == EPIPE }
}
