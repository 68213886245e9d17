import AppAttest
import OpenSSL
import Reporting
import System

/// How far a file has been taken in: every row before is stored, or was rejected.
struct IngestBookmark: Hashable, Sendable {
    /// Where the next row begins.
    let position: PieceReader.Position
    /// Rows before that.
    let lines: Int
    /// Those of them that were rejected.
    let rejected: Int
    /// The last key that was stored; a database that does not have it is from before. Nil: none was stored.
    let lastStored: KeyIdentifier?
}

/// The file in the state folder from which an ingest that was interrupted goes on. It is put in place after each batch
/// is stored, and goes with the last; should a crash of the machine lose the latest of it, rows are read once more,
/// which changes nothing.
struct IngestBookmarkFile: Sendable {
    // As much of a file as is looked at to know it again.
    private static let headSize = 1 << 16
    // A line; more than this is another file.
    private static let sizeLimit = 4_096

    /// Where it is.
    let path: String
    // What the bookmark stands for: the file as it is, the database, and how its rows are judged.
    private let input: String

    /// The bookmark of an opened file, of which nothing is read afterwards.
    ///
    /// - Parameters:
    ///   - database: when the database's schema was made.
    ///   - terms: whatever else makes rows mean something else.
    init(
        folder: String, of file: FileDescriptor, _ status: FileStatus, database: Instant, terms: [String]
    ) throws(SystemError) {
        path = "\(folder)/ingest-\(status.device)-\(status.inode).json"
        try file.seek(to: 0)
        let head = try file.read(upTo: Self.headSize)
        try file.seek(to: 0)
        // Whoever edits a file in place, or copies another over it, may put its time of modification back, but not the
        // time of change.
        let facts = [
            "\(status.size)", "\(status.modifiedNanoseconds)", "\(status.changedNanoseconds)",
            Base64.encode(SHA256.digest(head)), database.rfc3339,
        ]
        input = Base64.encode(SHA256.digest(Array((facts + terms).joined(separator: "\n").utf8)))
    }

    /// Where the same file goes on; nil where there is nothing of the kind.
    func read() -> IngestBookmark? {
        guard let text = try? OpenFile.reading(path).readToEnd(limit: Self.sizeLimit),
            let document = try? JSON5Document(text, dialect: .json), case .object(let members) = document.root.value,
            members.map(\.key) == ["input", "key", "offset", "line", "lines", "rejected"],
            case .string(input) = members[0].node.value, case .string(let key) = members[1].node.value
        else { return nil }
        let numbers = members.dropFirst(2).compactMap { member in
            if case .integer(let number) = member.node.value, number >= 0 { number } else { nil }
        }
        let lastStored = KeyIdentifierText.parse(key)
        guard numbers.count == 4, key.isEmpty || lastStored != nil else { return nil }
        return IngestBookmark(
            position: PieceReader.Position(offset: Int64(numbers[0]), line: numbers[1]), lines: numbers[2],
            rejected: numbers[3], lastStored: lastStored)
    }

    /// Puts another in its place.
    func write(_ bookmark: IngestBookmark) throws(SystemError) {
        let value = JSONValue.object([
            "input": .string(input), "key": .string(bookmark.lastStored.map { Base64.encode($0.bytes) } ?? ""),
            "offset": .integer(Int(bookmark.position.offset)),
            "line": .integer(bookmark.position.line), "lines": .integer(bookmark.lines),
            "rejected": .integer(bookmark.rejected),
        ])
        try replaceFile(path, Array("\(value.text)\n".utf8))
    }

    /// Takes it away.
    func remove() throws(SystemError) {
        try removeFile(path)
    }
}
