import AttestwatchCommand
import Foundation
import Testing

@Suite("Signing keys that systemd hands over")
struct CredentialTests {
    private static let text = """
        {apps: [{app_id: "A1B2C3D4E5.com.example",
                 signing_keys: [{id: "ABC123DEFG", credential: "keys_AuthKey_ABC123DEFG.p8"}]}],
         state_directory: "state"}
        """

    /// A configuration with such a key, and the folder in which systemd puts it.
    private func stage() throws -> (CommandRunner, credentials: String) {
        var attestwatch = try CommandRunner()
        attestwatch.environment["ATTESTWATCH_CONFIG"] = try attestwatch.file("a.json5", Self.text)
        let credentials = attestwatch.folder.appending(path: "credentials").path
        try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: false)
        return (attestwatch, credentials)
    }

    @Test("one is read in the mode that systemd gives it, and named as a credential")
    func read() async throws {
        var (attestwatch, credentials) = try stage()
        defer { try? attestwatch.remove() }
        try attestwatch.file("credentials/keys_AuthKey_ABC123DEFG.p8", TestKeys.p256, mode: 0o440)
        attestwatch.environment["CREDENTIALS_DIRECTORY"] = credentials
        let checked = try await attestwatch("config", "check")
        #expect(checked.code == .success, "\(checked.errors)")
        #expect(
            checked.output.contains("\napps[0].signing_keys[0].credential = \"keys_AuthKey_ABC123DEFG.p8\"\n"))
        let diagnosis = try await attestwatch("doctor")
        #expect(
            diagnosis.output.contains(
                "\nok       signing key ABC123DEFG of A1B2C3D4E5: the credential keys_AuthKey_ABC123DEFG.p8, "
                    + "handed over by systemd, P-256, signs\n"))
    }

    @Test("outside a unit, and in one that does not load it, the error says how to be given it")
    func missing() async throws {
        var (attestwatch, credentials) = try stage()
        defer { try? attestwatch.remove() }
        let hint =
            "\nhint: a unit of systemd hands it over: LoadCredential=keys_AuthKey_ABC123DEFG.p8:/etc/attestwatch/"
        for variable in [nil, ""] {
            attestwatch.environment["CREDENTIALS_DIRECTORY"] = variable
            let outside = try await attestwatch("config", "check")
            #expect(outside.code == .configuration)
            #expect(
                outside.errors.contains(
                    "apps[0].signing_keys[0].credential: expected CREDENTIALS_DIRECTORY to lead to the credential "
                        + "keys_AuthKey_ABC123DEFG.p8, found it not set\(hint)"), "\(outside.errors)")
        }
        attestwatch.environment["CREDENTIALS_DIRECTORY"] = credentials
        let notLoaded = try await attestwatch("refresh")
        #expect(notLoaded.code == .configuration)
        #expect(
            notLoaded.errors.contains(
                "apps[0].signing_keys[0].credential: \(credentials)/keys_AuthKey_ABC123DEFG.p8: "
                    + "no such file or directory\(hint)"), "\(notLoaded.errors)")
    }

    @Test("no other file may be readable by group or others, wherever CREDENTIALS_DIRECTORY leads")
    func others() async throws {
        var (attestwatch, credentials) = try stage()
        defer { try? attestwatch.remove() }
        try attestwatch.file("k.p8", TestKeys.p256, mode: 0o440)
        for (folder, file) in [
            (credentials, "k.p8"), (credentials, "credentials/../k.p8"), (credentials + "s", "k.p8"), ("", "k.p8"),
        ] {
            attestwatch.environment["CREDENTIALS_DIRECTORY"] = folder
            try attestwatch.file(
                "a.json5",
                Self.text.replacing("credential: \"keys_AuthKey_ABC123DEFG.p8\"", with: "file: \"\(file)\""))
            let refused = try await attestwatch("config", "check")
            #expect(refused.code == .configuration)
            #expect(refused.errors.contains("expected a file that its owner alone can read, found mode 0440"))
        }
    }

    @Test(
        "a key is a file or a credential, and a credential's name leads nowhere else",
        arguments: [
            ("", ".file: missing, expected the path of a .p8 file, or credential with a credential's name"),
            (#", file: "k", credential: "k""#, ".credential: expected one of file and credential, found both"),
            (#", credential: "../k""#, ".credential: expected a credential's name, such as \"keys_AuthKey_"),
            (#", credential: "..""#, ".credential: expected a credential's name, such as \"keys_AuthKey_"),
            (#", credential: "a:b""#, ".credential: expected a credential's name, such as \"keys_AuthKey_"),
        ])
    func refused(member: String, message: String) {
        let text = "{apps: [{app_id: \"A1B2C3D4E5.com.example\", signing_keys: [{id: \"ABC123DEFG\"\(member)}]}]}"
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration(text: Array(text.utf8), file: "/etc/a.json5")
        }
        #expect(error?.message.contains("apps[0].signing_keys[0]\(message)") == true, "\(error?.message ?? "")")
    }
}
