import System

/// Reads a file that holds a private key, and refuses it when others than its owner can read it.
///
/// The permissions looked at are those of the file that was opened, not of a name that may point elsewhere by then.
struct PrivateFile {
    // A key file is some 250 bytes; this leaves room for comments and chains of certificates around it.
    private static let sizeLimit = 65_536

    /// The folder in which systemd hands over credentials (`CREDENTIALS_DIRECTORY`); nil where there is none. The
    /// kernel guards it, whatever the owner and the permission bits of the files in it say.
    let credentialsDirectory: String?

    /// Looks where the environment says.
    init(_ environment: [String: String]) {
        credentialsDirectory = environment["CREDENTIALS_DIRECTORY"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The file of a signing key.
    func path(of settings: SigningKeySettings) throws(ConfigurationError) -> String {
        switch settings.source {
        case .file(let path): return path
        case .credential(let name):
            guard let credentialsDirectory else {
                throw .contradiction(
                    settings.place,
                    "expected CREDENTIALS_DIRECTORY to lead to the credential \(name), found it not set",
                    hint: Self.hint(for: settings.source))
            }
            return "\(credentialsDirectory)/\(name)"
        }
    }

    /// What to do about a key that cannot be read.
    static func hint(for source: SigningKeySettings.Source) -> String {
        switch source {
        case .file: "it must be readable for the user that attestwatch runs as"
        case .credential(let name):
            "a unit of systemd hands it over: LoadCredential=\(name):/etc/attestwatch/…; at a prompt, have a unit run "
                + "the command: systemctl start attestwatch@doctor"
        }
    }

    /// The file's content.
    ///
    /// - Parameter hint: what to do when it cannot be read.
    func read(_ file: String, for place: SettingPlace, hint: String) throws(ConfigurationError) -> [UInt8] {
        let status: FileStatus
        let bytes: [UInt8]
        do throws(SystemError) {
            let opened = try OpenFile.reading(file)
            status = try opened.status()
            bytes = try opened.readToEnd(limit: Self.sizeLimit)
        } catch {
            throw .fileRefused(place, file: file, reason: error.reason, hint: hint)
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
        guard let credentialsDirectory else { return false }
        let steps = file.split(separator: "/", omittingEmptySubsequences: false)
        return file.hasPrefix(credentialsDirectory + "/") && !steps.contains("..")
    }
}
