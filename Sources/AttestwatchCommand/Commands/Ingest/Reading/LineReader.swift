import System

/// Reads a stream line by line; memory holds one line and one piece of the stream, however long the stream is.
struct LineReader {
    /// One line.
    enum Line: Hashable {
        /// Its bytes, without the line end.
        case text([UInt8])
        /// Longer than the limit; it was skipped.
        case tooLong
    }

    private var pieces: PieceReader
    private let limit: Int

    /// Where the next line begins.
    var position: PieceReader.Position { pieces.position }
    /// Whether it ended because a stop was asked for.
    var isInterrupted: Bool { pieces.isInterrupted }

    /// Reads lines; those of more than `limit` bytes are skipped.
    init(_ pieces: PieceReader, limit: Int) {
        self.pieces = pieces
        self.limit = limit
    }

    /// The next line; nil at the end of the stream, and where a stop was asked for. A last line without a line end
    /// counts.
    mutating func next() throws(SystemError) -> Line? {
        var line: [UInt8] = []
        var isTooLong = false
        var isEmpty = true
        while true {
            guard try pieces.fill() else {
                return isEmpty || pieces.isInterrupted ? nil : isTooLong ? .tooLong : .text(line)
            }
            isEmpty = false
            let rest = pieces.rest
            let end = rest.firstIndex(of: UInt8(ascii: "\n"))
            let part = rest[..<(end ?? rest.endIndex)]
            if line.count + part.count > limit { isTooLong = true } else { line += part }
            pieces.take(part.count + (end == nil ? 0 : 1), lines: end == nil ? 0 : 1)
            if end != nil { return isTooLong ? .tooLong : .text(line) }
        }
    }
}
