import System

/// Reads CSV as RFC 4180 has it, record by record; memory holds one record and one piece of the stream.
///
/// Lines end with CRLF or LF, the last one with either or the stream. Between quotes may stand commas, line ends and
/// doubled quotes. An empty line is none. A record that cannot be read ends where its line does, and the next one
/// begins there.
package struct CSVReader {
    /// One record.
    package enum Record: Hashable, Sendable {
        /// Its fields, without quotes.
        case fields([[UInt8]])
        /// What is wrong with it; it was skipped.
        case damaged(CSVDamage)
    }

    private enum State {
        case fieldStart, plain, quoted, quoteInQuoted, returnBehindQuote, skipping
    }

    private var pieces: PieceReader
    private let limit: Int
    private var state = State.fieldStart
    private var fields: [[UInt8]] = []
    private var field: [UInt8] = []
    private var size = 0
    private var line = 1
    private var quoteLine = 1
    private var damage: CSVDamage?

    /// Where the next record begins.
    package var position: PieceReader.Position { pieces.position }
    /// Whether it ended because a stop was asked for.
    package var isInterrupted: Bool { pieces.isInterrupted }

    /// Reads records; those of more than `limit` bytes are skipped.
    package init(_ pieces: PieceReader, limit: Int) {
        self.pieces = pieces
        self.limit = limit
    }

    /// The next record and the line that it begins on; nil at the end of the stream, and where a stop was asked for.
    package mutating func next() throws(SystemError) -> (line: Int, record: Record)? {
        var first = position.line
        begin()
        while try pieces.fill() {
            guard takeRest() else { continue }
            if let record = finish() { return (first, record) }
            first = position.line
            begin()
        }
        if size == 0 || pieces.isInterrupted { return nil }
        if state == .quoted { damage = .unclosedQuote(line: quoteLine, lastLine: line) }
        if state == .plain, field.last == UInt8(ascii: "\r") { field.removeLast() }
        return finish().map { (first, $0) }
    }

    private mutating func begin() {
        line = position.line
        state = .fieldStart
        fields = []
        field = []
        size = 0
        damage = nil
    }

    /// What was read, once its end is found; nil for an empty line.
    private mutating func finish() -> Record? {
        if let damage { return .damaged(damage) }
        let isEmptyLine = fields.isEmpty && field.isEmpty && state != .quoteInQuoted && state != .returnBehindQuote
        fields.append(field)
        return isEmptyLine ? nil : .fields(fields)
    }

    /// Goes through what has been read so far; true once the record has ended.
    private mutating func takeRest() -> Bool {
        let rest = pieces.rest
        var index = rest.startIndex
        defer { pieces.take(index - rest.startIndex, lines: line - position.line) }
        while index < rest.endIndex {
            let run = plainRun(rest, from: index)
            if state != .skipping { field += rest[index..<run] }
            size += run - index
            index = run
            if size > limit, state != .skipping {
                spoil(
                    state == .quoted ? .unclosedQuote(line: quoteLine, lastLine: line) : .tooLong(limit: limit))
            }
            guard index < rest.endIndex else { break }
            let byte = rest[index]
            index += 1
            size += 1
            if byte == UInt8(ascii: "\n") { line += 1 }
            if take(byte) { return true }
        }
        return false
    }

    /// Where the bytes end that mean nothing but themselves.
    private func plainRun(_ rest: ArraySlice<UInt8>, from start: Int) -> Int {
        var index = start
        switch state {
        case .fieldStart, .quoteInQuoted, .returnBehindQuote: return start
        case .quoted:
            while index < rest.endIndex, rest[index] != UInt8(ascii: "\""), rest[index] != UInt8(ascii: "\n") {
                index += 1
            }
        case .plain:
            while index < rest.endIndex, rest[index] != UInt8(ascii: ","), rest[index] != UInt8(ascii: "\n"),
                rest[index] != UInt8(ascii: "\"")
            {
                index += 1
            }
        case .skipping:
            index = rest[start...].firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
        }
        return index
    }

    /// Takes a byte that may mean more than itself; true once it ends the record.
    private mutating func take(_ byte: UInt8) -> Bool {
        switch (state, byte) {
        case (.skipping, let byte):
            return byte == UInt8(ascii: "\n")
        case (.fieldStart, UInt8(ascii: "\"")):
            state = .quoted
            quoteLine = line
        case (.quoted, UInt8(ascii: "\"")):
            state = .quoteInQuoted
        case (.quoted, let byte):
            field.append(byte)
        case (.quoteInQuoted, UInt8(ascii: "\"")):
            field.append(byte)
            state = .quoted
        case (.plain, UInt8(ascii: "\"")):
            spoil(.strayQuote)
        case (.quoteInQuoted, UInt8(ascii: "\r")):
            state = .returnBehindQuote
        case (.plain, UInt8(ascii: "\n")) where field.last == UInt8(ascii: "\r"):
            field.removeLast()
            return true
        case (.fieldStart, UInt8(ascii: "\n")), (.plain, UInt8(ascii: "\n")), (.quoteInQuoted, UInt8(ascii: "\n")),
            (.returnBehindQuote, UInt8(ascii: "\n")):
            return true
        case (.fieldStart, UInt8(ascii: ",")), (.plain, UInt8(ascii: ",")), (.quoteInQuoted, UInt8(ascii: ",")):
            fields.append(field)
            field = []
            state = .fieldStart
        case (.quoteInQuoted, _), (.returnBehindQuote, _):
            spoil(.textBehindQuote)
        case (.fieldStart, let byte), (.plain, let byte):
            field.append(byte)
            state = .plain
        }
        return false
    }

    private mutating func spoil(_ found: CSVDamage) {
        damage = found
        state = .skipping
        fields = []
        field = []
    }
}

/// Why a record cannot be read.
package enum CSVDamage: Hashable, Sendable {
    /// A quote inside a field that does not begin with one.
    case strayQuote
    /// Something else than a comma or a line end behind the quote that ends a field.
    case textBehindQuote
    /// A quote that nothing ends: not before the stream does, or the record is longer than any. The line that its field
    /// begins in, and the last one that was looked at.
    case unclosedQuote(line: Int, lastLine: Int)
    /// More bytes than any record.
    case tooLong(limit: Int)

    /// Expected and found, safe to print.
    package var description: String {
        switch self {
        case .strayQuote: "expected quotes around the whole field, found one inside it"
        case .textBehindQuote: "expected a comma or a line end behind the quote that ends a field, found more text"
        case .unclosedQuote(let line, let lastLine):
            "expected a quote that ends the field that begins in line \(line), found none up to line \(lastLine)"
        case .tooLong(let limit): "expected a record of at most \(limit) bytes, found a longer one"
        }
    }
}
