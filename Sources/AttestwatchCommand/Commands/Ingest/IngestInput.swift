import System

/// Where the rows come from; a file is closed when this goes out of scope.
struct IngestInput: ~Copyable {
    /// What to read.
    let descriptor: FileDescriptor
    /// What the kernel says of the file, where it is one whose place can be kept: no pipe, and not standard input.
    let status: FileStatus?

    private let file: OpenFile?
    private let name: String

    /// Opens the file to read; `-` is standard input.
    init(_ name: String, _ context: CommandContext) throws(CommandFailure) {
        self.name = name
        guard name != "-" else {
            self.descriptor = context.input
            self.status = nil
            self.file = nil
            return
        }
        do throws(SystemError) {
            let file = try OpenFile.reading(name)
            let status = try file.status()
            self.descriptor = file.descriptor
            self.status = status.isRegularFile ? status : nil
            self.file = consume file
        } catch {
            throw .inputUnreadable(error)
        }
    }

    /// The rows from the beginning.
    func rows(
        _ options: IngestOptions, stopRequested: @escaping @Sendable () -> Bool
    ) throws(CommandFailure) -> IngestRows {
        do throws(IngestRowsError) {
            return try IngestRows(
                PieceReader(descriptor, stopRequested: stopRequested),
                format: options.format ?? IngestFormat(fileName: name), given: options.given)
        } catch {
            switch error {
            case .unreadable(let cause): throw .inputUnreadable(cause)
            case .header(let cause): throw .inputNotUnderstood(descriptor.name, cause)
            }
        }
    }

    /// The same rows, going on at another place of the file; no other input can.
    func rows(_ rows: IngestRows, at position: PieceReader.Position) throws(CommandFailure) -> IngestRows {
        guard status != nil else { return rows }
        do throws(SystemError) {
            try descriptor.seek(to: position.offset)
        } catch {
            throw .inputUnreadable(error)
        }
        return rows.continued(PieceReader(descriptor, at: position))
    }
}
