import Refresh

/// Every setting there is, by its path: what the decoder takes, and so what the example and the README must name.
package enum ConfigurationKeys {
    /// Paths in the order of the documentation; `[]` stands for an array's elements.
    package static let all: [String] =
        Configuration.keys.flatMap { key in
            switch key {
            case "apps": ["apps"] + apps.map { "apps[].\($0)" }
            case "data_servers": ["data_servers"] + dataServers.map { "data_servers.\($0)" }
            case "retention": ["retention"] + Retention.keys.map { "retention.\($0)" }
            case "trust_anchors": ["trust_anchors"] + TrustAnchorSettings.keys.map { "trust_anchors.\($0)" }
            default: [key]
            }
        }

    private static let apps = AppSettings.keys.flatMap { key in
        switch key {
        case "signing_keys": ["signing_keys"] + AppSettings.signingKeyKeys.map { "signing_keys[].\($0)" }
        case "environments": ["environments"] + environments.map { "environments.\($0)" }
        case "cadence": ["cadence"] + AppSettings.cadenceKeys.map { "cadence.\($0)" }
        default: [key]
        }
    }

    private static let environments = AppSettings.environmentKeys.flatMap { environment in
        [environment, "\(environment).levels"]
            + AppSettings.levelKeys.flatMap { level in
                ["\(environment).levels.\(level)"]
                    + AppSettings.thresholdKeys.map { "\(environment).levels.\(level).\($0)" }
            }
    }

    private static let dataServers = Configuration.dataServersKeys.flatMap { environment in
        [environment] + DataServerSettings.keys.map { "\(environment).\($0)" }
    }
}
