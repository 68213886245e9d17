import AppAttest
import Refresh

/// How far an intake has come.
package struct IntakeProgress: Hashable, Sendable {
    /// Rows read.
    package let rows: Int
    /// Those of them that did not go in.
    package let rejected: Int
    /// Bytes read.
    package let bytes: Int64
    /// Bytes there are to read; nil where nobody knows.
    package let allBytes: Int64?
    /// Time since it began.
    package let elapsed: Duration

    /// Puts the parts together; nothing is checked.
    package init(rows: Int, rejected: Int, bytes: Int64, allBytes: Int64?, elapsed: Duration) {
        self.rows = rows
        self.rejected = rejected
        self.bytes = bytes
        self.allBytes = allBytes
        self.elapsed = elapsed
    }

    /// The one line that an intake keeps up to date on a terminal: rows, rate, rejected, time left; as
    /// `Progress.line` begins and ends.
    package var line: String {
        let seconds = Double(elapsed.wholeMicroseconds) / 1_000_000
        var text = "\r\(rows) rows"
        if seconds > 0 { text += ", \(Int((Double(rows) / seconds).rounded())) a second" }
        text += ", \(rejected) rejected"
        if let allBytes, bytes > 0, allBytes > bytes {
            text += ", \(durationWords(.seconds(seconds * Double(allBytes - bytes) / Double(bytes)))) left"
        }
        return text + "\u{1b}[K"
    }
}
