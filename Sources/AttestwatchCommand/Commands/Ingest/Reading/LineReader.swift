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

    private let descriptor: FileDescriptor
    private let limit: Int
    private var piece: ArraySlice<UInt8> = []
    private var isAtEnd = false

    /// Reads from a descriptor; lines of more than `limit` bytes are skipped.
    init(_ descriptor: FileDescriptor, limit: Int) {
        self.descriptor = descriptor
        self.limit = limit
    }

    /// The next line; nil at the end of the stream. A last line without a line end counts.
    mutating func next() throws(SystemError) -> Line? {
        var line: [UInt8] = []
        var isTooLong = false
        var isEmpty = true
        while true {
            if piece.isEmpty, !(try refill()) {
                return isEmpty ? nil : isTooLong ? .tooLong : .text(line)
            }
            isEmpty = false
            let end = piece.firstIndex(of: UInt8(ascii: "\n"))
            let part = piece[..<(end ?? piece.endIndex)]
            if line.count + part.count > limit { isTooLong = true } else { line += part }
            piece = piece[(end.map { $0 + 1 } ?? piece.endIndex)...]
            if end != nil { return isTooLong ? .tooLong : .text(line) }
        }
    }

    private mutating func refill() throws(SystemError) -> Bool {
        if isAtEnd { return false }
        piece = try descriptor.read(upTo: 1 << 18)[...]
        isAtEnd = piece.isEmpty
        return !isAtEnd
    }
}
