import AppAttest

/// The one line that a run keeps up to date on a terminal: done, due, rate, time left.
package struct ProgressLine: Sendable {
    private let start: Instant

    /// A line for a run that began at `start`.
    package init(start: Instant) {
        self.start = start
    }

    /// `\r`, the line, and the escape that clears what a longer one left behind (ECMA-48, EL).
    package func text(done: Int, due: Int, now: Instant) -> String {
        let seconds = Double((now - start).wholeMicroseconds) / 1_000_000
        let rate = seconds > 0 ? Double(done) / seconds : 0
        var text = "\r\(done) of \(due) done"
        if rate > 0 {
            text += ", \(Int(rate.rounded())) a second"
            if due > done { text += ", \(durationWords(.seconds(Double(due - done) / rate))) left" }
        }
        return text + "\u{1b}[K"
    }

    /// What takes the line away before anything else is printed.
    package static let erased = "\r\u{1b}[K"
}
