import AttestwatchCommand
import Testing

@Suite("Settings beside one another")
struct SettingConcernTests {
    /// Members of the app and of the outermost object that are odd, and what is said of them.
    struct Oddity: CustomTestStringConvertible, Sendable {
        var app = ""
        var outermost = ""
        let messages: [String]
        var testDescription: String { app + outermost }
    }

    private func read(_ oddity: Oddity) throws(ConfigurationError) -> Configuration {
        let key = "signing_keys: [{id: 'ABC123DEFG', file: 'k.p8'}]"
        let text = "{apps: [{app_id: 'A1B2C3D4E5.com.example', \(key)\(oddity.app)}]\(oddity.outermost)}"
        return try Configuration(text: Array(text.utf8), file: "/etc/a.json5")
    }

    @Test(
        "what works and is odd is a warning with both values",
        arguments: [
            Oddity(messages: []),
            Oddity(app: ", cadence: {clear: '14d'}", messages: []),
            Oddity(
                app: ", cadence: {clear: '15d'}",
                messages: [
                    "apps[0].cadence.quiet is \"14d\", shorter than apps[0].cadence.clear, which is \"15d\"",
                    "apps[0].cadence.background is \"14d\", shorter than apps[0].cadence.clear, which is \"15d\"",
                ]),
            Oddity(app: ", cadence: {quiet: '30d', background: '30d'}", messages: []),
            Oddity(
                app: ", cadence: {quiet: '31d', background: '60d'}",
                messages: [
                    "apps[0].cadence.quiet is \"31d\", longer than the \"30d\" that a metric speaks of",
                    "apps[0].cadence.background is \"60d\", longer than the \"30d\" that a metric speaks of",
                ]),
            Oddity(outermost: ", lease: '30s'", messages: []),
            Oddity(outermost: ", lease: '29s'", messages: ["lease is \"29s\", and an answer may take \"30s\" to come"]),
            Oddity(
                outermost: ", data_servers: {production: {in_flight: 5}, development: {in_flight: 1}}", messages: []),
            Oddity(
                outermost: ", data_servers: {production: {in_flight: 5, requests_per_second: 51}}",
                messages: [
                    "data_servers.production.in_flight is 5, which at 100 ms an answer gives 50 requests a second, and "
                        + "data_servers.production.requests_per_second is 51"
                ]),
        ])
    func oddities(oddity: Oddity) throws {
        let concerns = try read(oddity).concerns
        #expect(concerns.map(\.message) == oddity.messages)
        #expect(concerns.allSatisfy { $0.weight == .warning && !$0.hint.isEmpty })
    }

    @Test("a cadence under which readings are stale before the next is refused", arguments: ["30d", "60d"])
    func stale(clear: String) throws {
        let error = #expect(throws: ConfigurationError.self) {
            try read(Oddity(app: ", cadence: {clear: '\(clear)'}", messages: []))
        }
        #expect(
            error?.message
                == "/etc/a.json5:1:103: apps[0].cadence: clear must be shorter than the \"30d\" after which a reading "
                + "is stale, found \"\(clear)\"")
        #expect(throws: Never.self) { try read(Oddity(app: ", cadence: {clear: '29d'}", messages: [])) }
    }

    @Test("config check names them on standard error and ends with 0")
    func configCheck() async throws {
        let attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        try attestwatch.file("k.p8", TestKeys.p256)
        let file = try attestwatch.file(
            "a.json5",
            """
            {apps: [{app_id: "A1B2C3D4E5.com.example", signing_keys: [{id: "ABC123DEFG", file: "k.p8"}]}],
             lease: "2s"}
            """)
        let result = try await attestwatch("config", "check", "--config", file)
        #expect(result.code == .success)
        #expect(
            result.errors.contains(
                "attestwatch: warning: lease is \"2s\", and an answer may take \"30s\" to come\nhint: "))
    }
}
