import System

/// The real time, or the real time and an offset that stands in a file and may change at any moment.
package struct SimulatedClock {
    private let path: String?
    private var offsetMilliseconds: Int64 = 0

    /// The real time; with `file`, moved by the signed decimal seconds on its one line (`0`, `2592000`, `-1.5`).
    ///
    /// - Throws: `SimulatorError` when the file holds something else now.
    package init(file: String?) throws(SimulatorError) {
        path = file
        if let file {
            guard let offset = Self.offset(in: try readFile(file)) else {
                throw SimulatorError.unusableFile(path: file, expected: "an offset in decimal seconds on one line")
            }
            offsetMilliseconds = offset
        }
    }

    /// The present simulated time. A file that cannot be read for a moment leaves the last offset in force.
    package mutating func now() -> SimulatedTime {
        if let path, let bytes = try? readFile(path), let offset = Self.offset(in: bytes) {
            offsetMilliseconds = offset
        }
        return SimulatedTime(milliseconds: SystemClock.microseconds() / 1000 + offsetMilliseconds)
    }

    private static func offset(in bytes: [UInt8]) -> Int64? {
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 1, let seconds = Double(words[0]), seconds.magnitude < 1e10 else { return nil }
        return Int64((seconds * 1000).rounded())
    }
}
