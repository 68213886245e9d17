import AppAttest
import Refresh

extension Progress {
    /// The one line that a run keeps up to date on a terminal: done, due, rate, time left.
    ///
    /// It begins with a carriage return and ends with the escape that clears what a longer one left (ECMA-48, EL).
    package var line: String {
        let seconds = Double(elapsed.wholeMicroseconds) / 1_000_000
        let rate = seconds > 0 ? Double(done) / seconds : 0
        var text = "\r\(done) of \(due) done"
        if rate > 0 {
            text += ", \(Int(rate.rounded())) a second"
            if due > done { text += ", \(durationWords(.seconds(Double(due - done) / rate))) left" }
        }
        return text + "\u{1b}[K"
    }

    /// What takes the line away before anything else is printed.
    package static let erasedLine = "\r\u{1b}[K"
}
