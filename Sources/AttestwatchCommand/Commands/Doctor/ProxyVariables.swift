/// The variables from which libcurl takes its proxy (libcurl-env(3)).
package struct ProxyVariables: Sendable {
    private let environment: [String: String]

    /// Looks at these variables.
    package init(_ environment: [String: String]) {
        self.environment = environment
    }

    /// The proxy for an https host with the variable that names it, without user and password; nil for none.
    package func proxy(for host: String) -> String? {
        guard !isExempt(host) else { return nil }
        for variable in ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
            guard let text = environment[variable], !text.isEmpty else { continue }
            let address = text.split(separator: "@").last ?? ""
            let behindScheme = address.split(separator: "/", omittingEmptySubsequences: true)
            let place = address.contains("://") ? behindScheme.dropFirst().first : behindScheme.first
            return "\(place ?? "") (\(variable))"
        }
        return nil
    }

    private func isExempt(_ host: String) -> Bool {
        let list = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
        if list == "*" { return true }
        return list.split { $0 == "," || $0 == " " }.contains { entry in
            let name = entry.drop { $0 == "." }.lowercased()
            return host == name || host.hasSuffix("." + name)
        }
    }
}
