extension Configuration {
    /// The folder for what must outlive a run: the setting, else the first folder of systemd's `STATE_DIRECTORY`.
    package func stateDirectory(environment: [String: String]) -> String? {
        if let stateDirectory { return stateDirectory }
        guard let folder = environment["STATE_DIRECTORY"]?.split(separator: ":").first else { return nil }
        return String(folder)
    }

    /// Reads every file that the settings name, as a run would at its start, and connects to nothing.
    func checkFiles(environment: [String: String]) throws(ConfigurationError) {
        let files = PrivateFile(credentialsDirectory: environment["CREDENTIALS_DIRECTORY"])
        for app in apps {
            for key in app.signingKeys { _ = try files.read(key.file, for: key.place) }
        }
    }
}
