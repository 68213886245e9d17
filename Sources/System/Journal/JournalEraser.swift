import Glibc

/// Takes records out of the journals of a folder that no run holds, those that were set aside among them. All calls of
/// the kernel are made on a thread of its own.
package actor JournalEraser {
    /// What stands in a journal.
    package struct Content: Hashable, Sendable {
        /// Its records, up to the first that is not whole.
        package let records: [[UInt8]]
        /// What could not be read behind them; nil where that is nothing.
        package let loss: JournalLoss?
    }

    /// Behind the name of a journal stands nothing, or why it was set aside; then this, of what was about to take its
    /// place.
    private static let draftSuffix = ".draft"

    private let folder: String
    private let executor: ThreadExecutor
    private var opened: (file: JournalFile, content: Content)?

    /// For the journals of a folder that is there.
    ///
    /// - Throws: `SystemError` when the system has no thread left.
    package init(folder: String) throws(SystemError) {
        self.folder = folder
        executor = try ThreadExecutor()
    }

    deinit { executor.stop() }

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// The paths of all journals, in the order of their names. Drafts that an eraser has left when it was cut off are
    /// taken away: what they were made of is still there.
    package func journals() throws(JournalError) -> [String] {
        let names: [String]
        do throws(SystemError) { names = try namesInFolder(folder).sorted() } catch { throw .failed(error) }
        let journals = names.filter { $0.hasSuffix(".journal") || $0.contains(".journal.") }
        for name in journals where name.hasSuffix(Self.draftSuffix) {
            guard let draft = try JournalFile.take("\(folder)/\(name)") else { continue }
            do throws(SystemError) { try draft.remove() } catch { throw .failed(error) }
        }
        return journals.filter { !$0.hasSuffix(Self.draftSuffix) }.map { "\(folder)/\($0)" }
    }

    /// Opens a journal and holds it until the next is opened, or `close`.
    ///
    /// - Returns: nil when a run holds it, or it has gone.
    /// - Throws: `refused` for one that others could read.
    package func open(_ path: String) throws(JournalError) -> Content? {
        opened = nil
        guard let file = try JournalFile.take(path) else { return nil }
        do throws(SystemError) {
            var reader = try JournalReader(file)
            var records: [[UInt8]] = []
            while let record = try reader.next() { records.append(record) }
            let content = Content(records: records, loss: reader.loss)
            opened = (file, content)
            return content
        } catch {
            throw .failed(error)
        }
    }

    /// Lets the open journal have these records alone, in one step and on the disk when this returns; without any left
    /// it is removed. What could not be read stays as it is, but for the end of a write that was cut off: nobody has
    /// ever relied on that.
    package func replaceRecords(with records: [[UInt8]]) throws(JournalError) {
        guard let (file, content) = opened else { return }
        opened = nil
        do throws(SystemError) {
            var octets = records.isEmpty ? [] : JournalFormat.header + JournalFormat.encode(records)
            if let loss = content.loss, !loss.isTornTail {
                if octets.isEmpty { octets = JournalFormat.header }
                octets += try file.read(at: loss.offset, count: loss.dropped)
            }
            if octets.isEmpty {
                try file.remove()
            } else {
                try replace(file, with: octets)
            }
            try syncFolder(folder)
        } catch {
            throw .failed(error)
        }
    }

    /// Lets the open journal go, as it is.
    package func close() {
        opened = nil
    }

    private func replace(_ file: JournalFile, with octets: [UInt8]) throws(SystemError) {
        let path = file.path + Self.draftSuffix
        // Whoever holds the journal alone makes its draft, so one that is there was left by an eraser that was cut off.
        guard unsafe unlink(path) == 0 || errno == ENOENT else {
            throw SystemError(call: "unlink", path: path, code: errno)
        }
        guard let draft = try JournalFile.create(path) else {
            throw SystemError(call: "flock", path: path, code: EWOULDBLOCK)
        }
        do throws(SystemError) {
            try draft.append(octets)
            try draft.rename(to: file.path)
        } catch {
            unsafe unlink(path)
            throw error
        }
    }
}
