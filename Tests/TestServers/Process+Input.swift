import Foundation
import Glibc
import Synchronization

/// Held while a process starts, so that it inherits no pipe that is being made for another one.
private let oneAtATime = Mutex(())

extension Process {
    /// Starts the process with a standard input that stays open until the returned handle is closed, or this process
    /// ends.
    func runHoldingInput() throws -> FileHandle {
        try oneAtATime.withLock { _ in
            let input = Pipe()
            standardInput = input
            // A sibling that inherited this end would keep the process's input open for ever.
            _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
            try run()
            return input.fileHandleForWriting
        }
    }
}
