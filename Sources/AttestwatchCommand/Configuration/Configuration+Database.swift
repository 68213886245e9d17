import Postgres

extension Configuration {
    /// What is wrong with a password that libpq takes from the environment; nil where there is none.
    static func passwordConcern(_ environment: [String: String]) -> RunNotice? {
        guard let password = environment["PGPASSWORD"], !password.isEmpty else { return nil }
        return RunNotice(
            weight: .warning,
            message: "expected the database's password in a passfile, found it in PGPASSWORD, where every process of "
                + "this user can read it",
            hint: "put it into a file with mode 0600, and name that with passfile= or PGPASSFILE")
    }

    /// The connection string to use, once it is seen to be one that may be used; empty for libpq's variables alone.
    ///
    /// - Throws: `badValue` for a text that is none; `contradiction` for a secret in it, or for a server across a
    ///   network whose certificate would not be verified.
    package func connectionString() throws(ConfigurationError) -> String {
        let text = database?.text ?? ""
        let place =
            database?.place
            ?? SettingPlace(file: file, text: TextPlace(of: 0, in: []), path: "database (from libpq's variables)")
        let settings: ConnectionSettings
        do throws(PostgresError) {
            settings = try ConnectionSettings.parse(text)
        } catch {
            throw .badValue(place, expected: "a connection string or URI of libpq", found: "\(error.words)")
        }
        if let secret = settings.secrets.first {
            throw .contradiction(
                place, "expected no \(secret) in the configuration, found one",
                hint: secret == "sslpassword"
                    ? "name a client key without a passphrase that its owner alone can read: sslkey=/path"
                    : "put it into a passfile that its owner alone can read, and name it: passfile=/path")
        }
        guard settings.isLocal || settings.tlsMode == "verify-full" else {
            let host = settings.service.map { "service \($0)" } ?? settings.hostAddress ?? settings.host ?? "unknown"
            throw .contradiction(
                place,
                "expected sslmode=verify-full for a server that is not on this machine, found "
                    + "\(settings.tlsMode.map { "sslmode=\($0)" } ?? "no sslmode") for \(host)",
                hint: "add sslmode=verify-full and, for a private authority, sslrootcert=/path")
        }
        return text
    }
}
