import AppAttest
import DataServer
import FoundationEssentials
import Postgres
import Refresh
import System
import Verification

/// Everything the configuration file says, checked, with defaults filled in.
package struct Configuration: Hashable, Sendable {
    /// The file it came from.
    package let file: String
    /// A libpq connection string or URI; nil leaves it to libpq's own environment variables.
    package let database: DatabaseSetting?
    /// Where a run keeps what must outlive it; nil leaves it to `STATE_DIRECTORY`.
    package let stateDirectory: String?
    /// At least one, no App ID twice.
    package let apps: [AppSettings]
    /// One for each environment.
    package let dataServers: [Environment: DataServerSettings]
    /// How long a worker's lease on shards lasts.
    package let lease: LeaseTerms
    /// How long what has passed is kept.
    package let retention: Retention
    /// How the JWT stands in the `Authorization` header.
    package let authorization: AuthorizationScheme
    /// The request's `Content-Type`.
    package let contentType: String
    /// PEM files in place of Apple's roots.
    package let trustAnchors: TrustAnchorSettings
    /// Serial numbers of receipt signers that are not believed.
    package let blockedSigners: [SerialNumber]
}

/// The `database` setting and where it stands.
package struct DatabaseSetting: Hashable, Sendable {
    /// As written.
    package let text: String
    /// For errors about it.
    package let place: SettingPlace

    /// As written, but for one that holds a secret or that libpq cannot read, of which nothing is shown.
    var shown: String {
        let settings = try? ConnectionSettings.parse(text)
        return settings?.secrets.isEmpty == true ? text : "<not shown>"
    }
}

/// PEM files of roots that take the place of Apple's, for a stand-in of the data server.
package struct TrustAnchorSettings: Hashable, Sendable {
    /// In place of Apple Root CA - G3.
    package let receipts: String?
    /// In place of Apple App Attestation Root CA.
    package let attestations: String?

    /// The keys of `trust_anchors`.
    static let keys = ["receipts", "attestations"]
}

extension Configuration {
    /// Where the file is looked for when neither `--config` nor `ATTESTWATCH_CONFIG` names one.
    package static let standardFile = "/etc/attestwatch/attestwatch.json5"
    /// Shorter, a busy database would cost leases; longer, the receipts of a dead worker would wait for nothing.
    private static let leaseBounds: ClosedRange<Duration> = .seconds(2) ... .minutes(10)
    /// A configuration is a page of text; more than this is another file.
    private static let sizeLimit = 1 << 20

    /// The keys of the outermost object.
    static let keys = [
        "database", "state_directory", "apps", "data_servers", "lease", "retention", "authorization", "content_type",
        "trust_anchors", "blocked_signers",
    ]
    /// The keys of `data_servers`.
    static let dataServersKeys = Environment.allCases.map(\.rawValue)

    /// Reads and checks a file; no file that it names is opened, nothing is connected to.
    package static func load(_ file: String) throws(ConfigurationError) -> Configuration {
        let text: [UInt8]
        do throws(SystemError) {
            text = try OpenFile.reading(file).readToEnd(limit: sizeLimit)
        } catch {
            throw .unreadable(file: file, reason: error.reason)
        }
        return try Configuration(text: text, file: file)
    }

    /// Checks a text that is already read.
    package init(text: [UInt8], file: String) throws(ConfigurationError) {
        let document: JSON5Document
        do throws(JSON5Error) {
            document = try JSON5Document(text, dialect: .json5)
        } catch {
            throw .syntax(file: file, error)
        }
        let source = ConfigurationSource(file: file, document: document)
        let object = try Setting(node: document.root, path: "", source: source).object(keys: Self.keys)
        self.file = file
        if let setting = object["database"] {
            let expected = "a connection string or URI of libpq"
            self.database = DatabaseSetting(text: try setting.string(expected), place: setting.place)
        } else {
            self.database = nil
        }
        self.stateDirectory = try object["state_directory"]?.filePath()
        self.apps = try Self.apps(try object.required("apps", "an array of apps"))
        self.dataServers = try Self.dataServers(object["data_servers"])
        self.lease = try object.value("lease", default: .standard) { member throws(ConfigurationError) in
            LeaseTerms(length: try member.duration(in: Self.leaseBounds))
        }
        self.retention = try object.value("retention", default: .standard) { member throws(ConfigurationError) in
            try Retention(member)
        }
        self.authorization =
            try object["authorization"]?.string(as: "\"bare\" or \"bearer\"", AuthorizationScheme.init(rawValue:))
            ?? .bare
        self.contentType = try Self.contentType(object["content_type"])
        let anchors = try object["trust_anchors"]?.object(keys: TrustAnchorSettings.keys)
        self.trustAnchors = TrustAnchorSettings(
            receipts: try anchors?["receipts"]?.filePath(), attestations: try anchors?["attestations"]?.filePath())
        self.blockedSigners = try Self.blockedSigners(object["blocked_signers"])
        if let anchors { try checkAnchors(anchors.setting) }
    }

    private static func apps(_ setting: Setting) throws(ConfigurationError) -> [AppSettings] {
        var apps: [AppSettings] = []
        for element in try setting.elements(1...Int.max, of: "apps") {
            let app = try AppSettings(element)
            if let first = apps.firstIndex(where: { $0.appID == app.appID }) {
                let place = element.place.appending("app_id")
                throw .badValue(
                    place, expected: "each App ID once", found: "\"\(app.appID)\" again (first at apps[\(first)])")
            }
            apps.append(app)
        }
        return apps
    }

    private static func dataServers(
        _ setting: Setting?
    ) throws(ConfigurationError) -> [Environment: DataServerSettings] {
        let object = try setting?.object(keys: dataServersKeys)
        var servers: [Environment: DataServerSettings] = [:]
        for environment in Environment.allCases {
            servers[environment] = try DataServerSettings(object?[environment.rawValue], environment)
        }
        return servers
    }

    // RFC 9110 § 8.3: what may stand in a header line; no value Apple might want is ruled out.
    private static func contentType(_ setting: Setting?) throws(ConfigurationError) -> String {
        guard let setting else { return "application/octet-stream" }
        return try setting.string(as: "a media type such as \"application/octet-stream\"") { text in
            let isPlain = text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
            let type = text.prefix { $0 != ";" }
            let parts = type.split(separator: "/", omittingEmptySubsequences: false)
            return isPlain && parts.count == 2 && parts.allSatisfy { !$0.isEmpty } ? text : nil
        }
    }

    private static func blockedSigners(_ setting: Setting?) throws(ConfigurationError) -> [SerialNumber] {
        var serials: [SerialNumber] = []
        for element in try setting?.elements(0...10_000, of: "serial numbers") ?? [] {
            let expected = "a certificate's serial number in hexadecimal, as openssl x509 -serial prints it"
            serials.append(try element.string(as: expected, SerialNumber.init(hexadecimal:)))
        }
        return serials
    }

    // Receipts that Apple's servers hand out can only be signed under Apple's root.
    private func checkAnchors(_ setting: Setting) throws(ConfigurationError) {
        guard trustAnchors.receipts != nil || trustAnchors.attestations != nil else { return }
        for environment in environmentsInUse {
            guard let server = dataServers[environment], server.isApples else { continue }
            throw .contradiction(
                setting.place,
                "replaced trust anchors cannot go with Apple's own data server, found \(server.url) for \(environment)",
                hint: "replaced anchors are for a stand-in: set data_servers.\(environment).url too, or take them out")
        }
    }
}

extension Configuration {
    /// The environments that an app accepts, and so whose data servers are asked.
    var environmentsInUse: [Environment] {
        Environment.allCases.filter { environment in apps.contains { $0.environments[environment] != nil } }
    }

    /// What stands in the place of Apple's own, a line for each data server and one for the trust anchors: every
    /// summary and status names them.
    package var replacements: [String] {
        var lines: [String] = []
        for environment in environmentsInUse {
            guard let server = dataServers[environment] else { continue }
            var parts: [String] = []
            if server.isReplaced(for: environment) { parts.append(server.url) }
            if let file = server.tlsCAFile { parts.append("authorities \(file)") }
            if !parts.isEmpty { lines.append("\(environment) \(parts.joined(separator: ", "))") }
        }
        var anchors: [String] = []
        if let file = trustAnchors.receipts { anchors.append("receipts \(file)") }
        if let file = trustAnchors.attestations { anchors.append("attestations \(file)") }
        if !anchors.isEmpty { lines.append("trust anchors of \(anchors.joined(separator: ", "))") }
        return lines
    }
}
