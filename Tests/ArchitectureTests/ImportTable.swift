/// Which module may import which: the arrows of the house. What is not named here is not allowed.
enum ImportTable {
    /// Open to every target.
    static let everywhere: Set<String> = ["FoundationEssentials", "Synchronization"]

    /// Target → what else it may import.
    static let allowed: [String: Set<String>] = [
        "AppAttest": [],
        "System": ["Glibc", "CLinux", "AppAttest"],
        "OpenSSL": ["COpenSSL"],
        "Verification": ["AppAttest", "OpenSSL"],
        "HTTP": ["Glibc", "CCurl", "System"],
        "Risk": ["AppAttest"],
        "Refresh": ["AppAttest", "Risk"],
        "DataServer": ["Refresh", "AppAttest", "HTTP", "OpenSSL"],
        "Postgres": ["CPostgres", "System"],
        "ReceiptStore": ["AppAttest", "Risk", "Refresh", "Postgres"],
        "Reporting": ["AppAttest", "Risk", "Refresh"],
        "migrations": [],
        "ops": [],
        "AttestwatchCommand": [
            "AppAttest", "DataServer", "HTTP", "Migrations", "OpenSSL", "Postgres", "ReceiptStore", "Refresh",
            "Reporting", "Risk", "System", "Verification", "ExampleConfiguration",
        ],
        "attestwatch": ["AttestwatchCommand", "System"],
        "attestwatch-bench": ["AttestwatchCommand", "OpenSSL", "System"],
        "attestwatch-timelapse": ["AppAttest", "AttestwatchCommand", "System"],
        "Microhttpd": ["CMicrohttpd"],
        "SimulatedDataServer": ["OpenSSL", "System", "Microhttpd"],
        "data-server-simulator": ["SimulatedDataServer", "System"],
    ]

    /// The wrappers: only they may say `unsafe`.
    static let wrappers: Set<String> = ["OpenSSL", "Postgres", "HTTP", "System", "Microhttpd"]

    /// The module that an import line brings in; nil for any other line.
    static func importedModule(_ line: String) -> String? {
        let words = line.split(separator: " ").map(String.init)
        guard let place = words.firstIndex(of: "import"), place + 1 < words.count else { return nil }
        let before = words[..<place]
        guard before.allSatisfy({ $0.hasPrefix("@") || ["public", "package", "internal", "private"].contains($0) })
        else { return nil }
        // `import struct Module.Name` names the module before the dot.
        let kinds: Set<String> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
        let name = kinds.contains(words[place + 1]) && place + 2 < words.count ? words[place + 2] : words[place + 1]
        return String(name.prefix { $0 != "." })
    }

    /// What is wrong with one import line of a target; nil when it is allowed or no import.
    static func fault(target: String, line: String) -> String? {
        guard let module = importedModule(line) else { return nil }
        guard let row = allowed[target] else { return "\(target) has no row in the table of modules" }
        if everywhere.contains(module) || row.contains(module) { return nil }
        return "\(target) may not import \(module)"
    }
}
