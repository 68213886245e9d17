import AppAttest
import Reporting
import Risk

/// The settings in force, defaults filled in, each by its path: `apps[0].cadence.clear = "7d"`.
///
/// It holds no secret: private keys are named by file, and of a `database` with a secret in it nothing is shown.
struct EffectiveSettings {
    /// One setting each.
    private(set) var lines: [String] = []

    /// Lists a configuration; what is left to the environment is looked up there.
    init(_ configuration: Configuration, environment: [String: String]) {
        if let database = configuration.database {
            add("database", text: database.shown)
        } else {
            lines.append("database is left to libpq's own variables (PGHOST, PGDATABASE, PGUSER and so on)")
        }
        if let folder = configuration.stateDirectory(environment: environment) {
            add("state_directory", text: folder)
        } else {
            lines.append("state_directory is not set, and neither is STATE_DIRECTORY")
        }
        for (index, app) in configuration.apps.enumerated() { add(app, "apps[\(index)]") }
        for environment in Environment.allCases {
            guard let server = configuration.dataServers[environment] else { continue }
            let path = "data_servers.\(environment)"
            add("\(path).url", text: server.url)
            add("\(path).requests_per_second", number: server.requestsPerSecond)
            add("\(path).in_flight", number: Double(server.inFlight))
            if let file = server.tlsCAFile { add("\(path).tls_ca_file", text: file) }
        }
        add("lease", duration: configuration.lease.length)
        add("retention.readings", duration: configuration.retention.readings)
        add("retention.runs", duration: configuration.retention.runs)
        add("retention.rejects", duration: configuration.retention.rejects)
        add("retention.alerts", duration: configuration.retention.alerts)
        add("authorization", text: configuration.authorization.rawValue)
        add("content_type", text: configuration.contentType)
        if let file = configuration.trustAnchors.receipts { add("trust_anchors.receipts", text: file) }
        if let file = configuration.trustAnchors.attestations { add("trust_anchors.attestations", text: file) }
        let serials = configuration.blockedSigners.map { JSONValue.string($0.description) }
        lines.append("blocked_signers = \(JSONValue.array(serials).text)")
    }

    private mutating func add(_ app: AppSettings, _ path: String) {
        add("\(path).app_id", text: app.appID.text)
        add("\(path).team_id", text: app.teamID.text)
        for (index, key) in app.signingKeys.enumerated() {
            add("\(path).signing_keys[\(index)].id", text: key.id)
            switch key.source {
            case .file(let file): add("\(path).signing_keys[\(index)].file", text: file)
            case .credential(let name): add("\(path).signing_keys[\(index)].credential", text: name)
            }
        }
        for environment in Environment.allCases {
            guard let policy = app.environments[environment] else { continue }
            for level in FlagLevel.allCases {
                let threshold = policy.threshold(of: level)
                let levelPath = "\(path).environments.\(environment).levels.\(level)"
                add("\(levelPath).raise", number: Double(threshold.raise))
                add("\(levelPath).clear", number: Double(threshold.clear))
            }
        }
        add("\(path).cadence.clear", duration: app.cadence.clear)
        add("\(path).cadence.flagged", duration: app.cadence.flagged)
        add("\(path).cadence.quiet", duration: app.cadence.quiet)
        add("\(path).cadence.background", duration: app.cadence.background)
        add("\(path).cadence.first_reading", duration: app.cadence.firstReading)
        add("\(path).cadence.flagged_calls_a_day", number: Double(app.cadence.flaggedCallsADay))
    }

    private mutating func add(_ path: String, text: String) {
        lines.append("\(path) = \(JSONValue.string(text).text)")
    }

    private mutating func add(_ path: String, number: Double) {
        let isWhole = number.rounded() == number
        lines.append("\(path) = \(isWhole ? "\(Int(number))" : "\(number)")")
    }

    private mutating func add(_ path: String, duration: Duration) {
        add(path, text: DurationText.format(duration))
    }
}
