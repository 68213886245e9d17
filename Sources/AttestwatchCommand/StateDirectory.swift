import System

/// The folder for what must outlive a run.
enum StateDirectory {
    /// Makes sure that the folder can be used, making it where it is missing.
    static func prepare(_ path: String) throws(CommandFailure) {
        do throws(SystemError) {
            try makeDirectory(path)
        } catch {
            throw .stateDirectory(path, reason: error.reason)
        }
        try check(path)
    }

    /// Looks whether a folder that is there can be used.
    static func check(_ path: String) throws(CommandFailure) {
        let status: FileStatus
        do throws(SystemError) {
            status = try FileStatus.of(path)
        } catch {
            throw .stateDirectory(path, reason: error.reason)
        }
        guard status.isDirectory else { throw .stateDirectory(path, reason: "expected a folder, found a file") }
        guard status.owner == effectiveUser() else {
            throw .stateDirectory(
                path, reason: "expected a folder of user \(effectiveUser()), found one of user \(status.owner)")
        }
        guard status.permissions & 0o077 == 0 else {
            throw .stateDirectory(
                path, reason: "expected mode 0700, found 0\(String(status.permissions, radix: 8))")
        }
        guard isWritable(path) else { throw .stateDirectory(path, reason: "expected a folder that can be written to") }
    }

    /// Why answers that a run receives are not safe in this folder, in a line; nil where they are.
    ///
    /// - Parameter path: nil where none is configured.
    static func concern(_ path: String?) -> String? {
        guard let path else {
            return "no state_directory is set: answers are not kept in a journal before they are stored, and those of "
                + "a run that is cut off are asked for again"
        }
        return volatileFileSystem(of: path).map { name in
            "expected a state folder that outlives a restart of the machine, found \(path) on \(name), which is memory"
        }
    }
}
