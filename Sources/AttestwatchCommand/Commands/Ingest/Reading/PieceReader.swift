import System

/// Reads a stream in large pieces and knows how far what was taken from it has come.
package struct PieceReader {
    /// Where to go on: everything before was taken.
    package struct Position: Hashable, Sendable {
        /// Bytes from the beginning of the stream.
        package var offset: Int64
        /// The line that begins there, counted from 1.
        package var line: Int

        /// Puts the two together; nothing is checked.
        package init(offset: Int64, line: Int) {
            self.offset = offset
            self.line = line
        }

        /// Where a stream begins.
        package static let start = Position(offset: 0, line: 1)
    }

    // How long a request to stop may go unnoticed while there is nothing to read, in milliseconds.
    private static let patience: Int32 = 200

    /// What has been read and not been taken yet.
    private(set) var rest: ArraySlice<UInt8> = []
    /// Where the first byte of `rest` stands.
    package private(set) var position: Position
    /// Whether it ended because a stop was asked for, and not where the stream does.
    private(set) var isInterrupted = false

    private let descriptor: FileDescriptor
    private let pieceSize: Int
    private let stopRequested: @Sendable () -> Bool
    private var isAtEnd = false

    /// Reads from a descriptor, which stands at `position`, until it ends, or until a stop is asked for while nothing
    /// comes; so many bytes at a time.
    package init(
        _ descriptor: FileDescriptor, at position: Position = .start, pieceSize: Int = 1 << 18,
        stopRequested: @escaping @Sendable () -> Bool = { false }
    ) {
        self.descriptor = descriptor
        self.position = position
        self.pieceSize = pieceSize
        self.stopRequested = stopRequested
    }

    /// Makes sure that something is in `rest`; false at the end.
    mutating func fill() throws(SystemError) -> Bool {
        if !rest.isEmpty { return true }
        if isAtEnd { return false }
        while !descriptor.isReadable(withinMilliseconds: Self.patience) {
            if stopRequested() {
                (isAtEnd, isInterrupted) = (true, true)
                return false
            }
        }
        rest = try descriptor.read(upTo: pieceSize)[...]
        isAtEnd = rest.isEmpty
        return !isAtEnd
    }

    /// Takes away the byte order mark that some programs put before UTF-8.
    mutating func skipByteOrderMark() throws(SystemError) {
        if try fill(), rest.starts(with: [0xef, 0xbb, 0xbf]) { take(3, lines: 0) }
    }

    /// Takes so many of the bytes in `rest`, of which so many end lines.
    mutating func take(_ count: Int, lines: Int) {
        rest = rest.dropFirst(count)
        position.offset += Int64(count)
        position.line += lines
    }
}
