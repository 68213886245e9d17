import FoundationEssentials
import Microhttpd
import OpenSSL
import System

/// A running simulator: the server behind, nginx in front, and the files that tell clients how to reach it.
package struct ServedSimulator: ~Copyable {
    /// What to serve.
    package struct Options: Sendable {
        /// Where keys, certificates, ledger and `ready.json` are kept.
        package var directory: String
        /// Files of populations.
        package var populations: [String] = []
        /// A file with the clock's offset.
        package var clock: String?
        /// The ledger; absent: `ledger.ndjson` in the directory.
        package var ledger: String?
        /// A scenario.
        package var scenario: String?
        /// Keys that clients sign with; without any, one is made for each team of the population.
        package var clientKeys: [ClientKeyFile] = []
        /// Requests on one connection before GOAWAY.
        package var requestsPerConnection = 1_000_000
        /// End when standard input does.
        package var staysWhileStandardInputOpen = false

        /// Serves from a directory.
        package init(directory: String) { self.directory = directory }
    }

    /// A client's key in a PEM file, public or private.
    package struct ClientKeyFile: Codable, Hashable, Sendable {
        /// `kid`.
        package let id: String
        /// `iss`.
        package let team: String
        /// The path.
        package let file: String

        /// Names a key.
        package init(id: String, team: String, file: String) {
            self.id = id
            self.team = team
            self.file = file
        }
    }

    /// What `ready.json` says.
    package struct Ready: Codable, Sendable {
        /// The production data server.
        package let production: String
        /// The development data server.
        package let development: String
        /// PEM: what to trust for TLS.
        package let tlsCAFile: String
        /// PEM: the root of receipts.
        package let receiptAnchorFile: String
        /// PEM: the root of attested certificates.
        package let attestationAnchorFile: String
        /// One JSON line a request.
        package let ledgerFile: String
        /// The keys that clients may sign with.
        package let signingKeys: [ClientKeyFile]

        enum CodingKeys: String, CodingKey {
            case production, development
            case tlsCAFile = "tls_ca_file"
            case receiptAnchorFile = "receipt_anchor_file"
            case attestationAnchorFile = "attestation_anchor_file"
            case ledgerFile = "ledger_file"
            case signingKeys = "signing_keys"
        }
    }

    private let server: LoopbackServer
    private var front: FrontServer
    private let signals: EndSignals
    private let staysWhileStandardInputOpen: Bool
    /// How to reach it.
    package let ready: Ready

    /// Starts everything; the ports accept connections when this returns, and `ready.json` is written.
    package static func start(_ options: Options) throws(SimulatorError) -> ServedSimulator {
        let signals: EndSignals
        do { signals = try EndSignals.caught() } catch { throw .system(error) }
        var populations: [Population] = []
        for path in options.populations { populations.append(try Population(file: path)) }
        let scenario = if let path = options.scenario { try Scenario(file: path) } else { Scenario.empty }
        var files = SimulatorFiles(directory: options.directory)
        var pki = try files.pki()
        let anchors = try files.writeAnchors(pki)
        let tls = try files.writeTLS(&pki)
        let keys = try files.clientKeys(options.clientKeys, teams: populations.teams)
        let ledger = options.ledger ?? "\(options.directory)/ledger.ndjson"
        let simulation = try DataServerSimulation(
            populations: populations, clientKeys: keys.map(\.key), scenario: scenario,
            clock: SimulatedClock(file: options.clock), pki: pki, ledger: ledger)
        let server = LoopbackServer(
            headers: DataServerSimulation.requestHeaders, monotonic: monotonicMilliseconds,
            handler: simulation.answer)
        guard let server else { throw .serverDidNotStart }
        let front = try FrontServer.start(
            FrontServer.Settings(
                directory: options.directory, certificateFile: tls.certificate, keyFile: tls.key,
                upstreamPort: server.port, requestsPerConnection: options.requestsPerConnection))
        let path = DataServerSimulation.path
        let ready = Ready(
            production: "https://127.0.0.1:\(front.productionPort)\(path)",
            development: "https://127.0.0.1:\(front.developmentPort)\(path)", tlsCAFile: anchors.tls,
            receiptAnchorFile: anchors.receipts, attestationAnchorFile: anchors.attestations, ledgerFile: ledger,
            signingKeys: keys.map(\.file))
        return ServedSimulator(
            server: server, front: front, signals: signals,
            staysWhileStandardInputOpen: options.staysWhileStandardInputOpen, ready: ready)
    }

    /// `ready.json` in one line.
    package var readyLine: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return ((try? encoder.encode(ready)).map { [UInt8]($0) } ?? []) + [UInt8(ascii: "\n")]
    }

    /// Serves until a signal asks to end or standard input does, then ends nginx.
    ///
    /// - Returns: whether it was asked to end; false when nginx ended by itself.
    package consuming func serve() throws(SimulatorError) -> Bool {
        do throws(SystemError) {
            var epoll = try Epoll(batch: 4)
            try epoll.add(server.descriptor, .read)
            try epoll.add(signals.descriptor, .read)
            if staysWhileStandardInputOpen { try epoll.add(FileDescriptor.standardInput.number, .read) }
            while true {
                let timeout = server.timeoutMilliseconds.map { Int32(clamping: $0) }
                var isAsked = false
                for event in try epoll.wait(milliseconds: timeout) {
                    if event.descriptor == signals.descriptor { isAsked = true }
                    if event.descriptor == FileDescriptor.standardInput.number {
                        let input = try FileDescriptor.standardInput.read(upTo: 4096)
                        isAsked = isAsked || input.isEmpty
                    }
                }
                if isAsked {
                    let wasRunning = front.isRunning()
                    front.end()
                    return wasRunning
                }
                server.run()
            }
        } catch {
            front.end()
            throw .system(error)
        }
    }
}

extension [Population] {
    /// The teams of all apps in them, each once, in order.
    fileprivate var teams: [String] {
        var teams: [String] = []
        for device in flatMap(\.devices) {
            let team = String(device.appID.prefix { $0 != "." })
            if teams.last != team && !teams.contains(team) { teams.append(team) }
        }
        return teams
    }
}
