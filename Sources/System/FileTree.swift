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
