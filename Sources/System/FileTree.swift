import CLinux
import Glibc

/// Whether something is at the path, symbolic links followed.
package func fileExists(_ path: String) -> Bool {
    unsafe access(path, F_OK) == 0
}

/// Makes a folder for the owner alone (0700) and the ones above it; one that is there is left as it is.
package func makeDirectories(_ path: String) throws(SystemError) {
    if fileExists(path) { return }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
        try makeDirectories(String(path[..<slash]))
    }
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
        throw SystemError(call: "mkdir", path: path, code: errno)
    }
}

/// Puts a whole file in place in one step: whoever opens the path finds the old content or the new, never a part.
///
/// The new file is not forced to the disk; the mode is set before anything is written.
package func replaceFile(_ path: String, _ bytes: [UInt8], mode: UInt32 = 0o600) throws(SystemError) {
    let draft = "\(path).\(getpid()).draft"
    unsafe unlink(draft)
    let number = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(0o600))
    guard number >= 0 else { throw SystemError(call: "open", path: draft, code: errno) }
    defer { close(number) }
    guard fchmod(number, mode_t(mode)) == 0 else { throw SystemError(call: "fchmod", path: draft, code: errno) }
    do throws(SystemError) {
        try FileDescriptor(borrowing: number, name: draft).write(bytes)
        guard unsafe rename(draft, path) == 0 else { throw SystemError(call: "rename", path: path, code: errno) }
    } catch {
        unsafe unlink(draft)
        throw error
    }
}

/// Takes a file away; one that is not there is as good.
package func removeFile(_ path: String) throws(SystemError) {
    guard unsafe unlink(path) == 0 || errno == ENOENT else {
        throw SystemError(call: "unlink", path: path, code: errno)
    }
}

/// The names in a folder, in no order, without `.` and `..`.
package func namesInFolder(_ path: String) throws(SystemError) -> [String] {
    guard let stream = unsafe opendir(path) else { throw SystemError(call: "opendir", path: path, code: errno) }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while true {
        errno = 0
        guard let entry = unsafe readdir(stream) else { break }
        let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { octets in
            unsafe String(decoding: octets.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { names.append(name) }
    }
    guard errno == 0 else { throw SystemError(call: "readdir", path: path, code: errno) }
    return names
}

/// Forces a folder to the disk: files that were made in it are found there after a power failure.
package func syncFolder(_ path: String) throws(SystemError) {
    let number = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { throw SystemError(call: "open", path: path, code: errno) }
    defer { close(number) }
    guard fsync(number) == 0 else { throw SystemError(call: "fsync", path: path, code: errno) }
}

/// The file system in memory that a path is on, or will be on once it is made: what it holds goes with the machine.
///
/// - Returns: `tmpfs` or `ramfs`; nil for all others.
package func volatileFileSystem(of path: String) -> String? {
    var path = path
    while !fileExists(path), let slash = path.lastIndex(of: "/") {
        path = slash == path.startIndex ? "/" : String(path[..<slash])
    }
    var facts = statfs()
    guard unsafe statfs(path, &facts) == 0 else { return nil }
    // linux/magic.h: TMPFS_MAGIC, RAMFS_MAGIC.
    return switch UInt32(truncatingIfNeeded: facts.f_type) {
    case 0x0102_1994: "tmpfs"
    case 0x8584_58f6: "ramfs"
    default: nil
    }
}

/// How many octets this user may still write to the file system that a path is on (statvfs(3)).
package func freeOctets(at path: String) throws(SystemError) -> Int64 {
    var facts = statvfs()
    guard unsafe statvfs(path, &facts) == 0 else { throw SystemError(call: "statvfs", path: path, code: errno) }
    return Int64(clamping: facts.f_bavail * facts.f_frsize)
}
