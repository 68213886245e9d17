import AppAttest
import Refresh
import Risk

/// One app whose receipts are kept.
package struct AppSettings: Hashable, Sendable {
    /// The App ID as field 2 of its receipts has it.
    package let appID: AppID
    /// Whose keys sign for it: the App ID's prefix unless the settings say otherwise.
    package let teamID: TeamID
    /// The key in use, and at most one more while keys are changed.
    package let signingKeys: [SigningKeySettings]
    /// The environments accepted, each with its thresholds.
    package let environments: [Environment: RiskPolicy]
    /// How often its keys are read.
    package let cadence: Cadence
}

/// A private key for authorization JWTs.
package struct SigningKeySettings: Hashable, Sendable {
    /// Apple's key ID, ten characters.
    package let id: String
    /// Where the key is.
    package let source: Source
    /// Where the configuration names it, for errors about the file.
    package let place: SettingPlace

    /// Where a private key is.
    package enum Source: Hashable, Sendable, CustomStringConvertible {
        /// A `.p8` file.
        case file(String)
        /// The name of a credential that systemd hands over (`LoadCredential=`).
        case credential(String)

        package var description: String {
            switch self {
            case .file(let path): path
            case .credential(let name): "the credential \(name)"
            }
        }
    }
}

extension AppSettings {
    /// The keys of an app.
    static let keys = ["app_id", "team_id", "signing_keys", "environments", "cadence"]
    /// The keys of a signing key.
    static let signingKeyKeys = ["id", "file", "credential"]
    /// The keys of `environments`.
    static let environmentKeys = Environment.allCases.map(\.rawValue)
    /// The keys of one environment.
    static let environmentSettingsKeys = ["levels"]
    /// The keys of `levels`.
    static let levelKeys = FlagLevel.allCases.map(\.rawValue)
    /// The keys of one level.
    static let thresholdKeys = ["raise", "clear"]
    /// The keys of `cadence`.
    static let cadenceKeys = ["clear", "flagged", "quiet", "background", "first_reading", "flagged_calls_a_day"]

    /// Reads an element of `apps`.
    init(_ setting: Setting) throws(ConfigurationError) {
        let object = try setting.object(keys: Self.keys)
        let expectedAppID = "an App ID such as \"A1B2C3D4E5.com.example.app\""
        let appID = try object.required("app_id", expectedAppID).string(as: expectedAppID, AppID.init)
        guard let prefix = TeamID(appID.prefix) else { throw setting.wrong(expected: expectedAppID) }
        self.appID = appID
        self.teamID = try object.value("team_id", default: prefix) { team throws(ConfigurationError) in
            try team.string(as: "a team ID, ten characters of A-Z and 0-9", TeamID.init)
        }
        let keysSetting = try object.required("signing_keys", "an array of {id, file} or {id, credential}")
        self.signingKeys = try Self.signingKeys(keysSetting)
        self.environments = try Self.environments(object["environments"])
        self.cadence = try object.value("cadence", default: .standard) { cadence throws(ConfigurationError) in
            try Cadence(cadence)
        }
    }

    private static func signingKeys(_ setting: Setting) throws(ConfigurationError) -> [SigningKeySettings] {
        var keys: [SigningKeySettings] = []
        for element in try setting.elements(1...2, of: "signing keys") {
            let object = try element.object(keys: signingKeyKeys)
            let expectedID = "a key ID, ten characters of A-Z and 0-9"
            let idSetting = try object.required("id", expectedID)
            // A key ID has the alphabet and length of a team ID.
            let id = try idSetting.string(as: expectedID) { TeamID($0)?.text }
            if let first = keys.firstIndex(where: { $0.id == id }) {
                throw idSetting.wrong(
                    expected: "each key ID once", found: "\"\(id)\" again (first at \(setting.path)[\(first)])")
            }
            keys.append(try signingKey(id, object))
        }
        return keys
    }

    private static func signingKey(
        _ id: String, _ object: SettingsObject
    ) throws(ConfigurationError) -> SigningKeySettings {
        guard let credential = object["credential"] else {
            let file = try object.required("file", "the path of a .p8 file, or credential with a credential's name")
            return SigningKeySettings(id: id, source: .file(try file.filePath()), place: file.place)
        }
        if object["file"] != nil {
            throw .contradiction(
                credential.place, "expected one of file and credential, found both",
                hint: "credential is for a unit with LoadCredential=, file for everything else")
        }
        // systemd.exec(5): a name must be fit for a file in one folder.
        let name = try credential.string(as: "a credential's name, such as \"keys_AuthKey_\(id).p8\"") { name in
            name.contains("/") || name.contains(":") || name == "." || name == ".." || name.utf8.count > 255
                ? nil : name
        }
        return SigningKeySettings(id: id, source: .credential(name), place: credential.place)
    }

    private static func environments(_ setting: Setting?) throws(ConfigurationError) -> [Environment: RiskPolicy] {
        guard let setting else { return [.production: .standard] }
        let object = try setting.object(keys: environmentKeys)
        var environments: [Environment: RiskPolicy] = [:]
        for environment in Environment.allCases {
            guard let member = object[environment.rawValue] else { continue }
            let settings = try member.object(keys: environmentSettingsKeys)
            environments[environment] =
                try settings.value("levels", default: .standard) { levels throws(ConfigurationError) in
                    try RiskPolicy(levels)
                }
        }
        if environments.isEmpty {
            throw setting.wrong(expected: "at least one of production and development", found: "none")
        }
        return environments
    }
}
