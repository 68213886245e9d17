import AppAttest
import FoundationEssentials

/// Where the receipts of one environment are sent, and how fast.
package struct DataServerSettings: Hashable, Sendable {
    /// The whole URL of `attestationData`.
    package let url: String
    /// The URL's host in lower case, without the dot that may end a whole name.
    package let host: String
    /// The pace of all runs together.
    package let requestsPerSecond: Double
    /// Requests of all runs that may wait for an answer at once.
    package let inFlight: Int
    /// CA certificates for its TLS in place of the system's.
    package let tlsCAFile: String?

    /// The keys of its object.
    static let keys = ["url", "requests_per_second", "in_flight", "tls_ca_file"]

    /// Whether this is not where Apple answers for the environment.
    package func isReplaced(for environment: Environment) -> Bool {
        url != Self.appleURL(environment)
    }

    /// Whether the host belongs to Apple.
    package var isApples: Bool { host == "apple.com" || host.hasSuffix(".apple.com") }

    /// Apple, Assessing fraud risk: the endpoint of each environment.
    package static func appleURL(_ environment: Environment) -> String {
        switch environment {
        case .production: "https://data.appattest.apple.com/v1/attestationData"
        case .development: "https://data-development.appattest.apple.com/v1/attestationData"
        }
    }

    /// No more than half of the 100 a second that Apple asks of attestKey; no figure is published for this endpoint.
    static let standardRequestsPerSecond = 50.0
    /// At 50 a second, room for answers that take two seconds.
    static let standardInFlight = 100

    /// Reads the settings of an environment's data server; without any, Apple's.
    init(_ setting: Setting?, _ environment: Environment) throws(ConfigurationError) {
        let apple = Self.appleURL(environment)
        let object = try setting?.object(keys: Self.keys)
        let url = try object?.value("url", default: apple) { url throws(ConfigurationError) in
            try Self.checkedURL(url, environment)
        }
        self.url = url ?? apple
        self.host = Self.host(of: url ?? apple)
        let rate = try object?["requests_per_second"]?.rate(upTo: 10_000)
        self.requestsPerSecond = rate ?? Self.standardRequestsPerSecond
        self.inFlight = try object?["in_flight"]?.integer(in: 1...400) ?? Self.standardInFlight
        self.tlsCAFile = try object?["tls_ca_file"]?.filePath()
    }

    private static func checkedURL(
        _ setting: Setting, _ environment: Environment
    ) throws(ConfigurationError) -> String {
        let expected = "an https URL with a host and a path, and without user, query or fragment"
        let text = try setting.string(expected)
        guard let parts = URLComponents(string: text), parts.scheme?.lowercased() == "https",
            let host = parts.host, !host.isEmpty, !parts.path.isEmpty, parts.path != "/", parts.user == nil,
            parts.password == nil, parts.query == nil, parts.fragment == nil
        else {
            // A user part may be a password: say which form is expected and do not repeat the text.
            throw setting.wrong(
                expected: expected, found: text.contains("@") ? "something else" : "\"\(excerpt(text))\"")
        }
        for other in Environment.allCases
        where other != environment && Self.host(of: text) == Self.host(of: appleURL(other)) {
            throw .contradiction(
                setting.place, "the \(environment) receipts would go to Apple's \(other) server \(text)",
                hint: "leave url out for Apple's own: \(appleURL(environment))")
        }
        return text
    }

    private static func host(of url: String) -> String {
        let host = URLComponents(string: url)?.host?.lowercased() ?? ""
        return host.hasSuffix(".") ? String(host.dropLast()) : host
    }
}
