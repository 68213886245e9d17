/// Reads the records of a journal file one by one, up to its end or to the first that is not whole.
struct JournalReader {
    /// The file, held by its lock.
    let file: JournalFile
    private let size: Int
    private var offset = 0
    /// What could not be read; nil as long as all was well.
    private(set) var loss: JournalLoss?

    /// Begins at the start of a file that nobody writes to.
    init(_ file: JournalFile) throws(SystemError) {
        self.file = file
        size = try file.sizeOnDisk()
    }

    /// The next payload; nil at the end, and from the first record that is not whole.
    mutating func next() throws(SystemError) -> [UInt8]? {
        guard loss == nil, try passHeader(), offset < size else { return nil }
        let header = try file.read(at: offset, count: JournalFormat.recordHeaderSize)
        guard header.count == JournalFormat.recordHeaderSize else {
            return lose(.cutShort(expected: JournalFormat.recordHeaderSize, found: header.count))
        }
        let length = JournalFormat.number(header[..<4])
        guard CRC32C(Array(header[..<4])).value == JournalFormat.number(header[4..<8]),
            JournalFormat.payloadSizes.contains(Int(length))
        else { return lose(try isZeroToTheEnd() ? .zeros : .length(length)) }
        let payload = try file.read(at: offset + header.count, count: Int(length))
        guard payload.count == Int(length) else {
            return lose(.cutShort(expected: Int(length), found: payload.count))
        }
        let expected = JournalFormat.number(header[8...])
        let found = CRC32C(payload).value
        let end = offset + header.count + payload.count
        guard found == expected else {
            let isLast = end == size
            return lose(
                isLast ? .lastRecord(expected: expected, found: found) : .payload(expected: expected, found: found))
        }
        offset = end
        return payload
    }

    /// Whether the file begins as it must; a file without an octet holds nothing, and nothing is wrong with it.
    private mutating func passHeader() throws(SystemError) -> Bool {
        guard offset == 0, size > 0 else { return true }
        let header = try file.read(at: 0, count: JournalFormat.header.count)
        if header == JournalFormat.header {
            offset = header.count
            return true
        }
        if JournalFormat.header.starts(with: header) {
            _ = lose(.cutShort(expected: JournalFormat.header.count, found: header.count))
        } else if let version = header.last, Array(header.dropLast()) == JournalFormat.magic {
            _ = lose(.version(expected: JournalFormat.version, found: version))
        } else {
            _ = lose(try isZeroToTheEnd() ? .zeros : .header(header))
        }
        return false
    }

    private mutating func lose(_ cause: JournalLoss.Cause) -> [UInt8]? {
        loss = JournalLoss(file: file.path, offset: offset, dropped: size - offset, cause: cause)
        return nil
    }

    private func isZeroToTheEnd() throws(SystemError) -> Bool {
        var place = offset
        while place < size {
            let piece = try file.read(at: place, count: min(65_536, size - place))
            guard !piece.isEmpty, piece.allSatisfy({ $0 == 0 }) else { return piece.isEmpty }
            place += piece.count
        }
        return true
    }
}
