import Foundation
import SimulatedDataServer
import TestSupport

/// Somebody at a terminal: runs `attestwatch-timelapse` against a simulator and a database, with a configuration file
/// that names both.
struct Operator {
    static let appID = "TEAMID1234.com.example.app"

    let simulator: Simulator
    private let environment: [String: String]

    /// Writes the configuration into the simulator's folder. `signingKey` stands in for the one the simulator knows.
    init(
        _ simulator: Simulator, _ database: TestDatabase, signingKey: ServedSimulator.ClientKeyFile? = nil,
        pace: Int = 400
    ) throws {
        self.simulator = simulator
        let ready = simulator.ready
        let keys = signingKey.map { [$0] } ?? ready.signingKeys
        let settings: [String: Any] = [
            "database": database.conninfo,
            "state_directory": "state",
            "apps": [
                [
                    "app_id": Self.appID,
                    "signing_keys": keys.map { ["id": $0.id, "file": $0.file] },
                    "environments": ["production": [String: Any](), "development": [String: Any]()],
                ] as [String: Any]
            ],
            "data_servers": [
                "production": Self.server(ready.production, ready, pace),
                "development": Self.server(ready.development, ready, pace),
            ],
            "trust_anchors": ["receipts": ready.receiptAnchorFile, "attestations": ready.attestationAnchorFile],
        ]
        let file = "\(simulator.directory)/attestwatch.json5"
        try JSONSerialization.data(withJSONObject: settings).write(to: URL(filePath: file))
        environment = ProcessInfo.processInfo.environment.merging([
            "ATTESTWATCH_CONFIG": file, "ATTESTWATCH_TIMELAPSE_CLOCK": simulator.clockFile,
        ]) { _, new in new }
    }

    private static func server(_ url: String, _ ready: ServedSimulator.Ready, _ pace: Int) -> [String: Any] {
        ["url": url, "tls_ca_file": ready.tlsCAFile, "requests_per_second": pace, "in_flight": 50]
    }

    /// What a command printed and how it ended.
    struct Ending {
        let status: Int32
        let output: String
        let errors: String

        /// The one JSON object that it printed.
        func json() throws -> [String: Any] {
            try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any] ?? [:]
        }

        /// A count of a summary.
        func count(_ name: String) throws -> Int? {
            try json()[name] as? Int
        }
    }

    /// Runs one command to its end.
    func run(_ words: String...) throws -> Ending {
        try run(words)
    }

    /// The same, with more environment variables.
    func run(_ words: [String], environment more: [String: String] = [:]) throws -> Ending {
        try run([productPath("attestwatch-timelapse")] + words, more)
    }

    /// Runs one command with a terminal as its standard error; the ending's errors are what the terminal was sent.
    func runOnTerminal(_ words: String...) throws -> Ending {
        try run(["python3", "-c", Self.terminal, productPath("attestwatch-timelapse")] + words, [:])
    }

    private func run(_ words: [String], _ more: [String: String]) throws -> Ending {
        let result = try runTool(
            words[0], Array(words.dropFirst()), environment: environment.merging(more) { _, new in new })
        return Ending(status: result.status, output: result.text, errors: result.errors)
    }

    /// Gives a program a pseudo-terminal (pty(7)) as its standard error and copies from there to its own.
    private static let terminal = """
        import os, pty, subprocess, sys
        screen, stderr = pty.openpty()
        program = subprocess.Popen(sys.argv[1:], stderr=stderr)
        os.close(stderr)
        try:
            while piece := os.read(screen, 4096):
                os.write(2, piece)
        except OSError:
            pass  # EIO: nobody has the terminal open any more
        sys.exit(program.wait())
        """
}
