import Foundation
import SimulatedDataServer

/// A machine that refreshes: a configuration and a state folder of its own, against a simulator and a database.
package struct Machine: Sendable {
    /// The app of its configuration.
    package static let appID = "TEAMID1234.com.example.app"

    /// The journals of its runs are here.
    package let stateFolder: String
    private let folder: String
    private let environment: [String: String]

    /// Writes the configuration into a folder in the simulator's, where it goes with that.
    ///
    /// - Parameter lease: the setting; nil for the program's own.
    package init(
        _ name: String, _ simulator: Simulator, _ database: TestDatabase, requestsPerSecond: Int = 400,
        inFlight: Int = 50, lease: String? = nil
    ) throws {
        folder = "\(simulator.directory)/\(name)"
        stateFolder = "\(folder)/state"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let ready = simulator.ready
        let server: [String: Any] = [
            "tls_ca_file": ready.tlsCAFile, "requests_per_second": requestsPerSecond, "in_flight": inFlight,
        ]
        var settings: [String: Any] = [
            "database": database.conninfo,
            "state_directory": stateFolder,
            "apps": [
                [
                    "app_id": Self.appID,
                    "signing_keys": ready.signingKeys.map { ["id": $0.id, "file": $0.file] },
                    "environments": ["production": [String: Any]()],
                ] as [String: Any]
            ],
            "data_servers": ["production": server.merging(["url": ready.production]) { _, new in new }],
            "trust_anchors": ["receipts": ready.receiptAnchorFile, "attestations": ready.attestationAnchorFile],
        ]
        settings["lease"] = lease
        let file = "\(folder)/attestwatch.json5"
        try JSONSerialization.data(withJSONObject: settings).write(to: URL(filePath: file))
        environment = ProcessInfo.processInfo.environment.merging([
            "ATTESTWATCH_CONFIG": file, "ATTESTWATCH_TIMELAPSE_CLOCK": simulator.clockFile,
        ]) { _, new in new }
    }

    /// Starts a command of `attestwatch-timelapse`; `words` are the command that starts it in its place, if any.
    package func start(_ arguments: String..., under words: [String] = []) throws -> Worker {
        let command = words + [productPath("attestwatch-timelapse")] + arguments
        return try Worker(
            ["/usr/bin/env"] + command, environment: environment, files: "\(folder)/\(UUID().uuidString)")
    }
}
