import Glibc

/// The journals of a folder: one that this run writes, and those that runs before it have left behind.
///
/// A run's records go into `<run>-<n>.journal`, into the next file when one has grown to `fileSize`. A file whose
/// records are all settled is taken away, so what is on the disk is bounded by what is not settled. All calls of the
/// kernel are made on a thread of the journal's own.
package actor Journal {
    private let folder: String
    private let run: String
    private let fileSize: Int
    private let executor: ThreadExecutor
    private var files: [Int: JournalFile] = [:]
    private var current = 0
    private var failure: JournalError?
    private var left: [String]?
    private var reader: JournalReader?

    /// A journal in a folder that is there; no file is made before the first record.
    ///
    /// - Parameters:
    ///   - run: a name that no other run has ever had.
    ///   - fileSize: octets after which the next file is begun.
    /// - Throws: `SystemError` when the system has no descriptor or thread left.
    package init(folder: String, run: String, fileSize: Int = 4 << 20) throws(SystemError) {
        self.folder = folder
        self.run = run
        self.fileSize = fileSize
        executor = try ThreadExecutor()
    }

    deinit { executor.stop() }

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    // MARK: - This run's records

    /// Writes records, all or none, and returns when they are on the disk.
    ///
    /// - Parameter payloads: 1 to 262,144 octets each.
    /// - Returns: the number of the file that they are in, for `settle`.
    /// - Throws: and from then on throws the same, since a disk that failed once is not to be trusted with the next.
    package func append(_ payloads: [[UInt8]]) throws(JournalError) -> Int {
        if let failure { throw failure }
        do throws(SystemError) {
            let file = try fileForMore()
            let records = JournalFormat.encode(payloads)
            try file.append(file.size == 0 ? JournalFormat.header + records : records)
            file.unsettled += payloads.count
            return current
        } catch {
            failure = .failed(error)
            throw .failed(error)
        }
    }

    /// So many records of a file are needed no more.
    package func settle(_ count: Int, in number: Int) {
        guard let file = files[number] else { return }
        file.unsettled -= count
        guard file.unsettled == 0 else { return }
        do throws(SystemError) {
            if number == current, failure == nil { return try file.clear() }
            try file.remove()
            files[number] = nil
        } catch {
            // What is left behind is replayed by the next run, and changes nothing.
            files[number] = nil
        }
    }

    /// Ends the writing: files whose records are settled go, the others are left for the next run.
    package func close() {
        failure = failure ?? .failed(SystemError(call: "write", path: folder, code: EBADF))
        for (_, file) in files where file.unsettled == 0 { try? file.remove() }
        files = [:]
    }

    private func fileForMore() throws(SystemError) -> JournalFile {
        if let file = files[current], file.size < fileSize { return file }
        while true {
            current += 1
            guard let file = try JournalFile.create("\(folder)/\(run)-\(current).journal") else { continue }
            files[current] = file
            try syncFolder(folder)
            return file
        }
    }

    // MARK: - What others have left

    /// Takes the next journal whose run has ended, holding it until `leave` or `remove`; those of runs that go on are
    /// passed over.
    ///
    /// - Returns: its path; nil when there are no more.
    /// - Throws: `refused` for one that others could read.
    package func takeLeft() throws(JournalError) -> String? {
        reader = nil
        do throws(SystemError) {
            if left == nil { left = try namesInFolder(folder).filter { $0.hasSuffix(".journal") }.sorted().reversed() }
        } catch {
            throw .failed(error)
        }
        while let name = left?.popLast() {
            guard let file = try JournalFile.take("\(folder)/\(name)") else { continue }
            do throws(SystemError) { reader = try JournalReader(file) } catch { throw .failed(error) }
            return file.path
        }
        return nil
    }

    /// The next records of the journal taken, at most `limit`; none at its end, and none from the first record that is
    /// not whole.
    package func readLeft(limit: Int) throws(JournalError) -> [[UInt8]] {
        var payloads: [[UInt8]] = []
        do throws(SystemError) {
            while payloads.count < limit, let payload = try reader?.next() { payloads.append(payload) }
        } catch {
            throw .failed(error)
        }
        return payloads
    }

    /// The path of the journal taken.
    package var leftPath: String? { reader?.file.path }

    /// What could not be read of the journal taken.
    package var leftLoss: JournalLoss? { reader?.loss }

    /// Is done with the journal taken: it is removed.
    package func removeLeft() throws(JournalError) {
        defer { reader = nil }
        do throws(SystemError) { try reader?.file.remove() } catch { throw .failed(error) }
    }

    /// Is done with the journal taken: it is kept under its name with `.suffix` behind, and never taken again.
    ///
    /// - Returns: its new path.
    package func setLeftAside(suffix: String) throws(JournalError) -> String? {
        defer { reader = nil }
        guard let file = reader?.file else { return nil }
        let name = "\(file.path).\(suffix)"
        do throws(SystemError) { try file.rename(to: name) } catch { throw .failed(error) }
        return name
    }

    /// Lets the journal taken go, as it is.
    package func leaveLeft() {
        reader = nil
    }
}
