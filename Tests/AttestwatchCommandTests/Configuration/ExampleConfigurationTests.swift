import AttestwatchCommand
import Foundation
import Testing

@Suite("The example configuration")
struct ExampleConfigurationTests {
    @Test("the file in ops is what the program prints")
    func sameText() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let file = try String(contentsOf: root.appending(path: "ops/attestwatch.example.json5"), encoding: .utf8)
        #expect(file == exampleConfiguration)
    }

    @Test("it is a configuration, and its values are the defaults")
    func defaults() throws {
        let example = try Configuration(text: Array(exampleConfiguration.utf8), file: "/e/a.json5")
        let least = try Configuration(
            text: Array(
                """
                {apps: [{app_id: "A1B2C3D4E5.com.example.app",
                         signing_keys: [{id: "ABC123DEFG", file: "/etc/attestwatch/AuthKey_ABC123DEFG.p8"}]}]}
                """.utf8), file: "/e/a.json5")
        #expect(example.dataServers == least.dataServers)
        #expect(example.retention == least.retention)
        #expect(example.authorization == least.authorization)
        #expect(example.contentType == least.contentType)
        #expect(example.trustAnchors == least.trustAnchors)
        #expect(example.blockedSigners == least.blockedSigners)
        #expect(example.apps.map(\.cadence) == least.apps.map(\.cadence))
        #expect(example.apps.map(\.environments) == least.apps.map(\.environments))
        #expect(example.apps.map(\.teamID) == least.apps.map(\.teamID))
    }

    @Test("every known key stands in it", arguments: ConfigurationKeys.all)
    func complete(path: String) throws {
        let key = try #require(path.split(separator: ".").last).replacing("[]", with: "")
        #expect(exampleConfiguration.contains("\(key):"), "\(path)")
    }

    @Test("the list of known keys is the decoder's: each is taken, and one beside it is not")
    func knownKeys() {
        #expect(ConfigurationKeys.all.count == Set(ConfigurationKeys.all).count)
        #expect(ConfigurationKeys.all.contains("apps[].environments.development.levels.high.raise"))
        #expect(ConfigurationKeys.all.contains("data_servers.production.tls_ca_file"))
        #expect(ConfigurationKeys.all.contains("apps[].signing_keys[].file"))
    }
}
