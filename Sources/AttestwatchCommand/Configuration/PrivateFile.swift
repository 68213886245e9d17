import System

/// Reads a file that holds a private key, and refuses it when others than its owner can read it.
///
/// The permissions looked at are those of the file that was opened, not of a name that may point elsewhere by then.
struct PrivateFile {
    // A key file is some 250 bytes; this leaves room for comments and chains of certificates around it.
    private static let sizeLimit = 65_536

    /// The folder in which systemd hands over credentials (`CREDENTIALS_DIRECTORY`): the kernel guards it, whatever the
    /// permission bits of the files in it say.
    let credentialsDirectory: String?

    /// The file's content.
    func read(_ file: String, for place: SettingPlace) throws(ConfigurationError) -> [UInt8] {
        let status: FileStatus
        let bytes: [UInt8]
        do throws(SystemError) {
            let opened = try OpenFile.reading(file)
            status = try opened.status()
            bytes = try opened.readToEnd(limit: Self.sizeLimit)
        } catch {
            throw .fileRefused(
                place, file: file, reason: error.reason,
                hint: "it must be readable for the user that attestwatch runs as")
        }
        guard !status.isReadableByOthers || isCredential(file) else {
            throw .fileRefused(
                place, file: file,
                reason: "expected a file that its owner alone can read, found mode "
                    + "0\(String(status.permissions, radix: 8))",
                hint: "chmod 600 \(file)")
        }
        return bytes
    }

    private func isCredential(_ file: String) -> Bool {
        guard let credentialsDirectory, !credentialsDirectory.isEmpty else { return false }
        let steps = file.split(separator: "/", omittingEmptySubsequences: false)
        return file.hasPrefix(credentialsDirectory + "/") && !steps.contains("..")
    }
}
