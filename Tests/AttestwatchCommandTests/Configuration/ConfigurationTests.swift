import AppAttest
import AttestwatchCommand
import Refresh
import Risk
import Testing
import Verification

@Suite("The configuration")
struct ConfigurationTests {
    struct Refusal: CustomTestStringConvertible, Sendable {
        let text: String
        let message: String
        let hint: String?
        var testDescription: String { message }

        init(_ text: String, _ message: String, hint: String? = nil) {
            self.text = text
            self.message = message
            self.hint = hint
        }
    }

    static let key = "signing_keys: [{id: 'ABC123DEFG', file: 'k.p8'}]"
    static let app = "{app_id: 'A1B2C3D4E5.com.example', \(key)}"

    private func read(_ text: String) throws(ConfigurationError) -> Configuration {
        try Configuration(text: Array(text.utf8), file: "/etc/a.json5")
    }

    @Test("an App ID and a signing key are enough; the rest has defaults")
    func defaults() throws {
        let configuration = try read("{apps: [\(Self.app)]}")
        let app = try #require(configuration.apps.first)
        #expect(app.teamID.text == "A1B2C3D4E5")
        #expect(app.environments == [.production: .standard])
        #expect(app.cadence == .standard)
        #expect(app.signingKeys.map(\.source) == [.file("/etc/k.p8")])
        let server = try #require(configuration.dataServers[.development])
        #expect(server.url == "https://data-development.appattest.apple.com/v1/attestationData")
        #expect(server.requestsPerSecond == 50)
        #expect(server.inFlight == 100)
        #expect(configuration.dataServers[.production]?.host == "data.appattest.apple.com")
        #expect(configuration.authorization == .bare)
        #expect(configuration.contentType == "application/octet-stream")
        #expect(configuration.database == nil)
        #expect(configuration.replacements == [])
    }

    @Test("every setting is taken over")
    func everything() throws {
        let configuration = try read(
            """
            {
                database: "host=/run/postgresql", state_directory: "state",
                apps: [{
                    app_id: "A1B2C3D4E5.com.example", team_id: "ZZZZZZZZZZ",
                    signing_keys: [{id: "ABC123DEFG", file: "/k/1.p8"}, {id: "ABC123DEFH", file: "/k/2.p8"}],
                    environments: {
                        production: {},
                        development: {levels: {watch: {raise: 10, clear: 1}, review: {raise: 11, clear: 4}}},
                    },
                    cadence: {clear: "3d", flagged: "12h", quiet: "10d", background: "90m", first_reading: "60s"},
                }],
                data_servers: {
                    production: {url: "https://localhost:8443/v1/x", requests_per_second: 1.5, in_flight: 0x10},
                    development: {url: "https://[::1]:8443/v1/x", tls_ca_file: "/ca.pem"},
                },
                authorization: "bearer", content_type: "text/plain; charset=utf-8",
                trust_anchors: {receipts: "/r.pem", attestations: "/a.pem"},
                blocked_signers: ["00:5A", "abc"],
            }
            """)
        let app = try #require(configuration.apps.first)
        #expect(configuration.database?.text == "host=/run/postgresql")
        #expect(configuration.stateDirectory == "/etc/state")
        #expect(app.teamID.text == "ZZZZZZZZZZ")
        #expect(app.signingKeys.map(\.id) == ["ABC123DEFG", "ABC123DEFH"])
        #expect(app.environments[.production] == .standard)
        #expect(app.environments[.development]?.watch == Threshold(raise: 10, clear: 1))
        #expect(app.environments[.development]?.high == RiskPolicy.standard.high)
        #expect(app.cadence.background == .minutes(90))
        #expect(app.cadence.firstReading == .minutes(1))
        #expect(configuration.dataServers[.production]?.requestsPerSecond == 1.5)
        #expect(configuration.dataServers[.production]?.inFlight == 16)
        #expect(configuration.authorization == .bearer)
        #expect(configuration.contentType == "text/plain; charset=utf-8")
        #expect(configuration.blockedSigners.map(\.bytes) == [[0x5a], [0x0a, 0xbc]])
        #expect(
            configuration.replacements == [
                "production https://localhost:8443/v1/x",
                "development https://[::1]:8443/v1/x, authorities /ca.pem",
                "trust anchors of receipts /r.pem, attestations /a.pem",
            ])
    }

    private static func levels(_ text: String) -> String {
        "{apps: [{app_id: 'A1B2C3D4E5.com.example', \(key), environments: {production: {levels: \(text)}}}]}"
    }

    private static func cadence(_ text: String) -> String {
        "{apps: [{app_id: 'A1B2C3D4E5.com.example', \(key), cadence: \(text)}]}"
    }

    static let structure = [
        Refusal("[]", "/etc/a.json5:1:1: the configuration: expected an object, found an array"),
        Refusal("{apps: [", "/etc/a.json5:1:9: expected a value, found the end of the text"),
        Refusal("{}", "/etc/a.json5:1:1: apps: missing, expected an array of apps"),
        Refusal(
            "{apps: [\(app)], data_server: {}}", "/etc/a.json5:1:96: data_server: unknown key",
            hint: "did you mean 'data_servers'?"),
        Refusal(
            "{apps: [\(app)], x: {}}", "/etc/a.json5:1:96: x: unknown key",
            hint: "the keys known there are database, state_directory, apps, data_servers, lease, retention, "
                + "authorization, content_type, trust_anchors, blocked_signers"),
        Refusal(
            "{apps: [\(app)],\napps: []}",
            "/etc/a.json5:2:1: expected each key once, found \"apps\" again (first at line 1, column 2)"),
        Refusal("{apps: {}}", "/etc/a.json5:1:8: apps: expected an array of apps, found an object"),
        Refusal("{apps: []}", "/etc/a.json5:1:8: apps: expected 1 or more apps, found 0"),
        Refusal(
            "{apps: [{\(key)}]}",
            "/etc/a.json5:1:9: apps[0].app_id: missing, expected an App ID such as \"A1B2C3D4E5.com.example.app\""),
        Refusal(
            "{apps: [{app_id: 'com.example', \(key)}]}",
            "/etc/a.json5:1:18: apps[0].app_id: expected an App ID such as \"A1B2C3D4E5.com.example.app\", "
                + "found \"com.example\""),
        Refusal(
            "{apps: [\(app), \(app)]}",
            "/etc/a.json5:1:95: apps[1].app_id: expected each App ID once, "
                + "found \"A1B2C3D4E5.com.example\" again (first at apps[0])"),
        Refusal(
            "{apps: [{app_id: 'A1B2C3D4E5.com.example', signing_keys: [{id: 'ABC123DEFG', fil: 'x'}]}]}",
            "/etc/a.json5:1:78: apps[0].signing_keys[0].fil: unknown key", hint: "did you mean 'file'?"),
        Refusal(
            "{apps: [{app_id: 'A1B2C3D4E5.com.example', signing_keys: [{id: 'short', file: 'x'}]}]}",
            "/etc/a.json5:1:64: apps[0].signing_keys[0].id: "
                + "expected a key ID, ten characters of A-Z and 0-9, found \"short\""),
        Refusal(
            "{apps: [{app_id: 'A1B2C3D4E5.com.example', signing_keys: []}]}",
            "/etc/a.json5:1:58: apps[0].signing_keys: expected 1 to 2 signing keys, found 0"),
        Refusal(
            "{apps: [{app_id: 'A1B2C3D4E5.com.example', \(key), environments: {}}]}",
            "/etc/a.json5:1:108: apps[0].environments: "
                + "expected at least one of production and development, found none"),
        Refusal(
            "{apps: [\(app)], authorization: 'Bare'}",
            "/etc/a.json5:1:111: authorization: expected \"bare\" or \"bearer\", found \"Bare\""),
        Refusal(
            "{apps: [\(app)], content_type: 'text'}",
            "/etc/a.json5:1:110: content_type: "
                + "expected a media type such as \"application/octet-stream\", found \"text\""),
        Refusal(
            "{apps: [\(app)], content_type: ';'}",
            "/etc/a.json5:1:110: content_type: "
                + "expected a media type such as \"application/octet-stream\", found \";\""),
        Refusal(
            "{apps: [\(app)], content_type: '; charset=utf-8'}",
            "/etc/a.json5:1:110: content_type: "
                + "expected a media type such as \"application/octet-stream\", found \"; charset=utf-8\""),
        Refusal(
            "{apps: [\(app)], authorization: 'bare\\u001b[31m'}",
            "/etc/a.json5:1:111: authorization: expected \"bare\" or \"bearer\" without control characters, "
                + "found one with them"),
        Refusal(
            "{apps: [\(app)], '\(String(repeating: "x", count: 10_000))': {}}",
            "/etc/a.json5:1:96: \(String(repeating: "x", count: 60))…: unknown key",
            hint: "the keys known there are database, state_directory, apps, data_servers, lease, retention, "
                + "authorization, content_type, trust_anchors, blocked_signers"),
        Refusal(
            "{apps: [\(app)], '\(String(repeating: "x", count: 100))': 1, '\(String(repeating: "x", count: 100))': 1}",
            "/etc/a.json5:1:203: expected each key once, found \"\(String(repeating: "x", count: 60))…\" again "
                + "(first at line 1, column 96)"),
        Refusal(
            "{apps: [\(app)], database: 5}",
            "/etc/a.json5:1:106: database: expected a connection string or URI of libpq, found an integer"),
        Refusal(
            "{apps: [\(app)], blocked_signers: ['5g']}",
            "/etc/a.json5:1:114: blocked_signers[0]: expected a certificate's serial number in hexadecimal, "
                + "as openssl x509 -serial prints it, found \"5g\""),
    ]

    static let relations = [
        Refusal(
            levels("{watch: {raise: 2, clear: 2}}"),
            "/etc/a.json5:1:138: apps[0].environments.production.levels.watch: "
                + "raise must be greater than clear, found 2 and 2",
            hint: "the gap between them keeps a metric that moves by one from raising and clearing in turn"),
        Refusal(
            levels("{watch: {raise: 6, clear: 2}}"),
            "/etc/a.json5:1:130: apps[0].environments.production.levels: "
                + "watch.raise must be less than review.raise, found 6 and 6",
            hint: "levels that are not given keep their defaults; give both where one moves past the other"),
        Refusal(
            levels("{high: {raise: 20, clear: 3}}"),
            "/etc/a.json5:1:130: apps[0].environments.production.levels: "
                + "review.clear must not be greater than high.clear, found 4 and 3",
            hint: "levels that are not given keep their defaults; give both where one moves past the other"),
        Refusal(
            levels("{high: {raise: 20}}"),
            "/etc/a.json5:1:137: apps[0].environments.production.levels.high.clear: missing, expected an integer"),
        Refusal(
            levels("{high: {raise: 0, clear: 1}}"),
            "/etc/a.json5:1:145: apps[0].environments.production.levels.high.raise: "
                + "expected an integer from 1 to 1000000, found 0"),
        Refusal(
            cadence("{clear: '1d', flagged: '2d'}"),
            "/etc/a.json5:1:103: apps[0].cadence: flagged must not be longer than clear, found \"2d\" and \"1d\"",
            hint: "flagged devices are read at least as often as clear ones"),
        Refusal(
            cadence("{first_reading: '8d'}"),
            "/etc/a.json5:1:103: apps[0].cadence: first_reading must not be longer than clear, found \"8d\" and \"7d\"",
            hint: "it is the new keys that tell of misuse soonest; the default is \"1h\""),
        Refusal(
            cadence("{quiet: '0s'}"),
            "/etc/a.json5:1:111: apps[0].cadence.quiet: expected a duration from \"1m\" to \"60d\" "
                + "(a whole number and s, m, h or d), found \"0s\""),
        Refusal(
            cadence("{quiet: 14}"),
            "/etc/a.json5:1:111: apps[0].cadence.quiet: expected a duration from \"1m\" to \"60d\" "
                + "(a whole number and s, m, h or d), found 14"),
        Refusal(
            "{apps: [\(app)], data_servers: {production: {requests_per_second: 0}}}",
            "/etc/a.json5:1:145: data_servers.production.requests_per_second: "
                + "expected a number from 1 to 10000, found 0"),
        Refusal(
            "{apps: [\(app)], data_servers: {production: {url: 'http://x/v1'}}}",
            "/etc/a.json5:1:129: data_servers.production.url: expected an https URL with a host and a path, "
                + "and without user, query or fragment, found \"http://x/v1\""),
        Refusal(
            "{apps: [\(app)], data_servers: {production: {url: 'https://user:secret@x/v1'}}}",
            "/etc/a.json5:1:129: data_servers.production.url: expected an https URL with a host and a path, "
                + "and without user, query or fragment, found something else"),
        Refusal(
            "{apps: [\(app)], data_servers: {production: "
                + "{url: 'https://data-development.appattest.apple.com/v1/attestationData'}}}",
            "/etc/a.json5:1:129: data_servers.production.url: the production receipts would go to Apple's development "
                + "server https://data-development.appattest.apple.com/v1/attestationData",
            hint: "leave url out for Apple's own: https://data.appattest.apple.com/v1/attestationData"),
        Refusal(
            "{apps: [\(app)], trust_anchors: {receipts: 'r.pem'}}",
            "/etc/a.json5:1:111: trust_anchors: replaced trust anchors cannot go with Apple's own data server, "
                + "found https://data.appattest.apple.com/v1/attestationData for production",
            hint: "replaced anchors are for a stand-in: set data_servers.production.url too, or take them out"),
    ]

    @Test(
        "a wrong configuration is refused with its place, what was expected and what was found",
        arguments: structure + relations)
    func refusals(_ refusal: Refusal) {
        do throws(ConfigurationError) {
            _ = try read(refusal.text)
            Issue.record("taken: \(refusal.text)")
        } catch {
            #expect(error.message == refusal.message)
            #expect(error.hint == refusal.hint)
        }
    }

    @Test(
        "Apple's hosts are known in any case and with a dot at the end",
        arguments: ["data.appattest.apple.com", "DATA.AppAttest.Apple.COM", "data.appattest.apple.com.", "APPLE.COM."])
    func appleHosts(host: String) throws {
        let servers = "data_servers: {production: {url: 'https://\(host)/v1/x'}}"
        #expect(try read("{apps: [\(Self.app)], \(servers)}").dataServers[.production]?.isApples == true)
        #expect(throws: ConfigurationError.self) {
            try read("{apps: [\(Self.app)], \(servers), trust_anchors: {receipts: 'r.pem'}}")
        }
    }

    @Test(
        "the other environment's server is known by its host",
        arguments: ["data-development.appattest.apple.com", "Data-Development.appattest.apple.com."])
    func otherEnvironment(host: String) {
        #expect(throws: ConfigurationError.self) {
            try read("{apps: [\(Self.app)], data_servers: {production: {url: 'https://\(host)/v1/attestationData'}}}")
        }
    }

    @Test("hosts that only end alike are not Apple's", arguments: ["pineapple.com", "apple.com.example", "localhost."])
    func otherHosts(host: String) throws {
        let text = "{apps: [\(Self.app)], data_servers: {production: {url: 'https://\(host)/v1/x'}}}"
        #expect(try read(text).dataServers[.production]?.isApples == false)
    }

    @Test("a missing file is named, with how to name another")
    func missingFile() {
        #expect(throws: ConfigurationError.unreadable(file: "/nowhere/a.json5", reason: "no such file or directory")) {
            try Configuration.load("/nowhere/a.json5")
        }
    }

    @Test(
        "durations are a whole number and a unit",
        arguments: [("7d", 604_800), ("55m", 3_300), ("1h", 3_600), ("90s", 90), ("0s", 0)] as [(String, Int)])
    func durations(text: String, seconds: Int) {
        #expect(DurationText.parse(text) == .seconds(seconds))
    }

    @Test(
        "other texts are no durations",
        arguments: ["", "d", "7", "7w", "1h30m", "-1d", "1.5h", " 1d", "99999999999999999999d", "36526d"])
    func noDurations(text: String) {
        #expect(DurationText.parse(text) == nil)
    }

    @Test("the state folder is the setting, else the first of STATE_DIRECTORY")
    func stateDirectory() throws {
        let without = try read("{apps: [\(Self.app)]}")
        #expect(without.stateDirectory(environment: [:]) == nil)
        #expect(without.stateDirectory(environment: ["STATE_DIRECTORY": "/a:/b"]) == "/a")
        let with = try read("{state_directory: '/s', apps: [\(Self.app)]}")
        #expect(with.stateDirectory(environment: ["STATE_DIRECTORY": "/a"]) == "/s")
    }
}
