import CLinux
import Glibc

/// An open journal file, held by an exclusive lock for as long as it is open: whoever finds a file unlocked knows that
/// its run has ended. The lock is of the open file, so it goes with the process, however that ends.
final class JournalFile {
    /// Where it is.
    let path: String
    /// Open and locked until this value goes.
    let descriptor: Int32
    /// Octets written and known to be on the disk.
    private(set) var size = 0
    /// Records that are not settled yet.
    var unsettled = 0

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Makes a new file, for the owner alone.
    ///
    /// - Returns: nil when somebody who looks for abandoned journals was faster with the lock.
    static func create(_ path: String) throws(SystemError) -> JournalFile? {
        let number = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw SystemError(call: "open", path: path, code: errno) }
        let file = JournalFile(path: path, descriptor: number)
        guard try file.lock(), try file.isStillThere() else { return nil }
        return file
    }

    /// Opens and locks a file that its run has left.
    ///
    /// - Returns: nil when a run holds it, or it has gone.
    /// - Throws: `refused` unless it is a file of this user's that nobody else can read or write.
    static func take(_ path: String) throws(JournalError) -> JournalFile? {
        let number = unsafe open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0 else {
            if errno == ENOENT { return nil }
            throw .failed(SystemError(call: "open", path: path, code: errno))
        }
        let file = JournalFile(path: path, descriptor: number)
        do throws(SystemError) {
            guard try file.lock(), try file.isStillThere() else { return nil }
        } catch {
            throw .failed(error)
        }
        try file.check()
        return file
    }

    /// Writes octets behind those that are there; they are on the disk when this returns.
    ///
    /// - Throws: what the kernel said; the file is then as it was before.
    func append(_ octets: [UInt8]) throws(SystemError) {
        do throws(SystemError) {
            try write(octets)
            guard fdatasync(descriptor) == 0 else { throw failure("fdatasync") }
            size += octets.count
        } catch {
            ftruncate(descriptor, off_t(size))
            throw error
        }
    }

    /// Forgets all that was written.
    func clear() throws(SystemError) {
        guard ftruncate(descriptor, 0) == 0 else { throw failure("ftruncate") }
        size = 0
    }

    /// Takes the file away; the lock stays until it is closed.
    func remove() throws(SystemError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw failure("unlink") }
    }

    /// Gives the file another name.
    func rename(to name: String) throws(SystemError) {
        guard unsafe Glibc.rename(path, name) == 0 else { throw failure("rename") }
    }

    /// Octets from `offset`, at most `count`; fewer only at the end of the file.
    func read(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
        var error: Int32 = 0
        let octets = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = unsafe pread(
                    descriptor, buffer.baseAddress?.advanced(by: filled), count - filled, off_t(offset + filled))
                if got > 0 {
                    filled += got
                } else if got == 0 {
                    return
                } else if errno != EINTR {
                    error = errno
                    return
                }
            }
        }
        if error != 0 { throw SystemError(call: "pread", path: path, code: error) }
        return octets
    }

    /// Octets in the file.
    func sizeOnDisk() throws(SystemError) -> Int { Int(try status().st_size) }

    private func write(_ octets: [UInt8]) throws(SystemError) {
        var done = 0
        while done < octets.count {
            let written = unsafe octets.withUnsafeBytes { buffer in
                unsafe pwrite(
                    descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done, off_t(size + done))
            }
            if written > 0 {
                done += written
            } else if written == 0 || errno != EINTR {
                throw failure("write")
            }
        }
    }

    private func lock() throws(SystemError) -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        if errno == EWOULDBLOCK { return false }
        throw failure("flock")
    }

    /// Whether the path still leads here: another may have removed or renamed the file, lock and all, before we had it.
    private func isStillThere() throws(SystemError) -> Bool {
        let opened = try status()
        var named = stat()
        guard unsafe lstat(path, &named) == 0 else {
            if errno == ENOENT { return false }
            throw failure("lstat")
        }
        return named.st_dev == opened.st_dev && named.st_ino == opened.st_ino
    }

    private func check() throws(JournalError) {
        let status: stat
        do throws(SystemError) { status = try self.status() } catch { throw .failed(error) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .refused(path: path, expected: "a file", found: "something else")
        }
        guard status.st_uid == geteuid() else {
            throw .refused(path: path, expected: "a file of user \(geteuid())", found: "one of user \(status.st_uid)")
        }
        guard status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o7777, radix: 8)
            throw .refused(path: path, expected: "mode 0600", found: "0\(mode)")
        }
    }

    private func status() throws(SystemError) -> stat {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure("fstat") }
        return status
    }

    private func failure(_ call: String) -> SystemError {
        SystemError(call: call, path: path, code: errno)
    }
}
