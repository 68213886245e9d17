import AppAttest
import System

/// The machine's clock moved by an offset that stands in a file, so that the demo and tests can let weeks pass.
///
/// The file is named in `ATTESTWATCH_TIMELAPSE_CLOCK` and holds one line: signed decimal seconds, `2592000` for 30
/// days. It is read anew at each question, so both this program and the simulator follow it while they run.
struct TimelapseClock: WallClock {
    private let file: String

    /// Follows a file.
    init(file: String) {
        self.file = file
    }

    func now() -> Instant {
        SystemClock().now() + offset()
    }

    // A clock that quietly stood still would make a test pass for the wrong reason, so a file that is not as it should
    // be ends the program.
    private func offset() -> Duration {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try OpenFile.reading(file).readToEnd(limit: 64)
        } catch {
            preconditionFailure("cannot read ATTESTWATCH_TIMELAPSE_CLOCK: \(error)")
        }
        let line = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard line.count == 1, let seconds = Double(line[0]), seconds.magnitude < 1e10 else {
            preconditionFailure("\(file): expected signed decimal seconds in one line")
        }
        return .microseconds(Int64((seconds * 1e6).rounded()))
    }
}
