import System

/// The folder for what must outlive a run.
enum StateDirectory {
    /// Makes sure that the folder can be used, making it where it is missing.
    static func prepare(_ path: String) throws(CommandFailure) {
        let status: FileStatus
        do throws(SystemError) {
            try makeDirectory(path)
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
}
