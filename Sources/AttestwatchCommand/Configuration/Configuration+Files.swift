extension Configuration {
    /// The folder for what must outlive a run: the setting, else the first folder of systemd's `STATE_DIRECTORY`.
    package func stateDirectory(environment: [String: String]) -> String? {
        if let stateDirectory { return stateDirectory }
        guard let folder = environment["STATE_DIRECTORY"]?.split(separator: ":").first else { return nil }
        return String(folder)
    }

    /// Reads every file that the settings name, as a run would at its start, and connects to nothing.
    func checkFiles(environment: [String: String]) throws(CommandFailure) {
        do throws(ConfigurationError) {
            _ = try signingKeys(environment: environment)
        } catch {
            throw .configuration(error)
        }
        _ = try receiptVerifier()
        if let file = trustAnchors.attestations { _ = try replacedAnchors(file) }
        for file in dataServers.values.compactMap(\.tlsCAFile) { _ = try replacedAnchors(file) }
    }
}
