import System

/// How the rows of an input are written.
enum IngestFormat: String, CaseIterable, Hashable, Sendable {
    /// RFC 4180, with a header.
    case csv
    /// A JSON object a line.
    case ndjson

    /// What the name of a file says; nil: nothing.
    init?(fileName: String) {
        let suffix = fileName.lastIndex(of: ".").map { fileName[$0...].lowercased() }
        switch suffix {
        case ".csv": self = .csv
        case ".ndjson", ".jsonl", ".json": self = .ndjson
        default: return nil
        }
    }

    /// What the first bytes say: an object begins with a brace, and no column's name does.
    init(firstBytes: ArraySlice<UInt8>) {
        let first = firstBytes.first { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
        self = first == nil || first == UInt8(ascii: "{") ? .ndjson : .csv
    }
}

/// A row of the input.
struct IngestRow: Sendable {
    /// The line that it begins on.
    let line: Int
    /// Its texts, or why there are none.
    let fields: Result<IngestFields, IngestRejection>
}

/// The rows of an input, whichever way they are written. Blank lines are none.
struct IngestRows {
    // A receipt of 64 KiB in hexadecimal, and room for the references beside it.
    private static let sizeLimit = 1 << 18

    private enum Source {
        case lines(LineReader)
        case records(CSVReader, [IngestColumn])
    }

    private var source: Source

    /// How they are written.
    let format: IngestFormat

    /// Where the next one begins.
    var position: PieceReader.Position {
        switch source {
        case .lines(let reader): reader.position
        case .records(let reader, _): reader.position
        }
    }

    /// Whether they ended because a stop was asked for while nothing came.
    var isInterrupted: Bool {
        switch source {
        case .lines(let reader): reader.isInterrupted
        case .records(let reader, _): reader.isInterrupted
        }
    }

    /// Finds out how the rows are written, unless `format` says so, and reads a header.
    ///
    /// - Parameter given: columns that the command line stands in for.
    init(
        _ pieces: PieceReader, format: IngestFormat?, given: Set<IngestColumn>
    ) throws(IngestRowsError) {
        var pieces = pieces
        do throws(SystemError) {
            try pieces.skipByteOrderMark()
            _ = try pieces.fill()
            self.format = format ?? IngestFormat(firstBytes: pieces.rest)
            switch self.format {
            case .ndjson: source = .lines(LineReader(pieces, limit: Self.sizeLimit))
            case .csv: source = .records(CSVReader(pieces, limit: Self.sizeLimit), [])
            }
        } catch {
            throw .unreadable(error)
        }
        guard case .records(var reader, _) = source else { return }
        let header: CSVReader.Record?
        do throws(SystemError) { header = try reader.next()?.record } catch { throw .unreadable(error) }
        do throws(CSVHeaderError) {
            source = .records(reader, try CSVHeader.columns(header, given: given))
        } catch {
            throw .header(error)
        }
    }

    /// The same rows, going on with other pieces of the same input.
    func continued(_ pieces: PieceReader) -> IngestRows {
        var rows = self
        switch source {
        case .lines: rows.source = .lines(LineReader(pieces, limit: Self.sizeLimit))
        case .records(_, let columns): rows.source = .records(CSVReader(pieces, limit: Self.sizeLimit), columns)
        }
        return rows
    }

    /// The next row; nil at the end of the input, and where a stop was asked for.
    mutating func next() throws(SystemError) -> IngestRow? {
        switch source {
        case .lines(var reader):
            defer { source = .lines(reader) }
            while true {
                let line = reader.position.line
                switch try reader.next() {
                case .none: return nil
                case .tooLong: return IngestRow(line: line, fields: .failure(.tooLong(limit: Self.sizeLimit)))
                case .text(let text) where text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }): continue
                case .text(let text): return IngestRow(line: line, fields: Self.fields(of: text))
                }
            }
        case .records(var reader, let columns):
            defer { source = .records(reader, columns) }
            guard let (line, record) = try reader.next() else { return nil }
            return IngestRow(line: line, fields: Self.fields(of: record, columns))
        }
    }

    private static func fields(of line: [UInt8]) -> Result<IngestFields, IngestRejection> {
        do throws(IngestRejection) { return .success(try IngestFields(json: line)) } catch { return .failure(error) }
    }

    private static func fields(
        of record: CSVReader.Record, _ columns: [IngestColumn]
    ) -> Result<IngestFields, IngestRejection> {
        switch record {
        case .damaged(let damage): return .failure(.notCSV(damage))
        case .fields(let fields):
            do throws(IngestRejection) {
                return .success(try IngestFields(fields, columns: columns))
            } catch {
                return .failure(error)
            }
        }
    }
}

/// Why the rows of an input cannot be read at all.
enum IngestRowsError: Error, Hashable, Sendable {
    /// What the kernel said.
    case unreadable(SystemError)
    /// The columns of CSV are not known.
    case header(CSVHeaderError)
}
