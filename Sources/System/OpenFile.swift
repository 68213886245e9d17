import Glibc

/// A file this program opened; closed when it goes out of scope.
package struct OpenFile: ~Copyable {
    /// The descriptor, to read from or write to while this value lives.
    package let descriptor: FileDescriptor

    private init(owning number: Int32, path: String) {
        self.descriptor = FileDescriptor(borrowing: number, name: path)
    }

    deinit {
        close(descriptor.number)
    }

    /// Opens a file to read.
    package static func reading(_ path: String) throws(SystemError) -> OpenFile {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError(call: "open", path: path, code: errno) }
        return OpenFile(owning: number, path: path)
    }

    /// Opens a file to append to, made with mode 0600 where it is missing.
    package static func appending(_ path: String) throws(SystemError) -> OpenFile {
        let number = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw SystemError(call: "open", path: path, code: errno) }
        return OpenFile(owning: number, path: path)
    }

    /// What the kernel says about the opened file itself, so that nobody can change the name's target in between.
    package func status() throws(SystemError) -> FileStatus {
        try FileStatus(of: descriptor)
    }

    /// Everything from here to the end of the file.
    ///
    /// - Throws: what the kernel said; `EFBIG` when there is more than `limit` bytes.
    package func readToEnd(limit: Int) throws(SystemError) -> [UInt8] {
        try descriptor.readToEnd(limit: limit)
    }
}

/// The few facts about a file that this program looks at.
package struct FileStatus: Hashable, Sendable {
    /// Permission bits, `0o600` for instance.
    package let permissions: UInt32
    /// The owner's user identifier.
    package let owner: UInt32
    /// Whether it is a folder.
    package let isDirectory: Bool
    /// Whether it is a file with content of its own, not a pipe, a socket or a device.
    package let isRegularFile: Bool
    /// Which file it is, together with `inode`.
    package let device: UInt64
    /// Its number on the device.
    package let inode: UInt64
    /// How many bytes it has.
    package let size: Int64
    /// When its content was last changed, in nanoseconds since the Unix epoch.
    package let modifiedNanoseconds: Int64
    /// When its content, name, owner or mode was last changed, likewise; no program can set it.
    package let changedNanoseconds: Int64

    /// What the kernel says about an open file, pipe or socket.
    package init(of descriptor: FileDescriptor) throws(SystemError) {
        var record = stat()
        guard unsafe fstat(descriptor.number, &record) == 0 else {
            throw SystemError(call: "fstat", path: descriptor.name, code: errno)
        }
        self.init(record)
    }

    private init(_ record: stat) {
        self.permissions = record.st_mode & 0o7777
        self.owner = record.st_uid
        self.isDirectory = record.st_mode & S_IFMT == S_IFDIR
        self.isRegularFile = record.st_mode & S_IFMT == S_IFREG
        self.device = UInt64(record.st_dev)
        self.inode = UInt64(record.st_ino)
        self.size = Int64(record.st_size)
        self.modifiedNanoseconds = Int64(record.st_mtim.tv_sec) * 1_000_000_000 + Int64(record.st_mtim.tv_nsec)
        self.changedNanoseconds = Int64(record.st_ctim.tv_sec) * 1_000_000_000 + Int64(record.st_ctim.tv_nsec)
    }

    /// Whether anybody but the owner can read it.
    package var isReadableByOthers: Bool { permissions & 0o044 != 0 }

    /// What the kernel says about a path, symbolic links followed.
    package static func of(_ path: String) throws(SystemError) -> FileStatus {
        var record = stat()
        guard unsafe stat(path, &record) == 0 else { throw SystemError(call: "stat", path: path, code: errno) }
        return FileStatus(record)
    }
}
