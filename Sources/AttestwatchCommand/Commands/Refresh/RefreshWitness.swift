import AppAttest
import Refresh
import Reporting
import Synchronization
import System

/// Writes a run's events where they were asked for, and keeps the progress line up to date on a terminal.
final class RefreshWitness: RunObserver {
    private struct State {
        var lines: [UInt8] = []
        var failure: SystemError?
        var lastShown: Duration?
    }

    // Written at once rather than line by line; small enough to be with the reader soon.
    private static let bufferSize = 16_384
    private static let betweenLines = Duration.milliseconds(200)

    private let events: FileDescriptor?
    private let terminal: FileDescriptor?
    private let context: CommandContext
    private let state = Mutex(State())

    /// Events go to `events` where they were asked for; warnings, and on a terminal unless quiet the progress, to
    /// standard error.
    init(events: FileDescriptor?, context: CommandContext, isQuiet: Bool) {
        self.events = events
        self.context = context
        self.terminal = context.errors.isTerminal && !isQuiet ? context.errors : nil
    }

    func outcome(_ event: RefreshEvent) {
        guard events != nil else { return }
        let line = Array(event.jsonLine.utf8)
        state.withLock { state in
            state.lines += line
            if state.lines.count >= Self.bufferSize { write(&state) }
        }
    }

    func progress(_ progress: Progress) {
        // A batch has been stored: who follows the events sees it now.
        state.withLock { state in write(&state) }
        guard let terminal else { return }
        let isDue = state.withLock { state in
            let isDue = state.lastShown.map { progress.elapsed - $0 >= Self.betweenLines } ?? true
            if isDue { state.lastShown = progress.elapsed }
            return isDue
        }
        if isDue { try? terminal.write(Array(progress.line.utf8)) }
    }

    func storeAway(_ failure: StoreFailure, patience: Duration) {
        let message = CommandFailure.store(failure).message
        let seconds = (patience / .seconds(1)).rounded(.up)
        warn("\(message); trying again for up to \(Int(seconds)) s")
    }

    func storeBack() {
        warn("the database is available again")
    }

    /// Puts a warning in the progress line's place; the next progress comes below it.
    private func warn(_ message: String) {
        state.withLock { state in
            if state.lastShown != nil { try? terminal?.write(Array(Progress.erasedLine.utf8)) }
            context.warn(message)
        }
    }

    /// Writes what is left and takes the progress line away; returns the first failure to write an event, which does
    /// not stop a run.
    func finish() -> SystemError? {
        state.withLock { state in
            write(&state)
            if state.lastShown != nil { try? terminal?.write(Array(Progress.erasedLine.utf8)) }
            return state.failure
        }
    }

    private func write(_ state: inout State) {
        guard let events, state.failure == nil, !state.lines.isEmpty else { return }
        do throws(SystemError) {
            try events.write(state.lines)
        } catch {
            state.failure = error
        }
        state.lines.removeAll(keepingCapacity: true)
    }
}
