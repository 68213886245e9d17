import AppAttest
import DataServer
import HTTP
import Refresh
import Reporting
import System

/// The data servers in use: name, network, TLS, HTTP and clock, without a receipt or a JWT.
struct DataServerChecks: Sendable {
    private static let limit: Duration = .seconds(10)

    private let servers: [(environment: Environment, settings: DataServerSettings)]
    private let environment: [String: String]

    /// Looks where this configuration leads, through the proxy that the environment names.
    init(_ configuration: Configuration, environment: [String: String]) {
        servers = configuration.environmentsInUse.compactMap { used in
            configuration.dataServers[used].map { (used, $0) }
        }
        self.environment = environment
    }

    /// All of them, the servers side by side.
    func all() async -> [Check] {
        await withTaskGroup(of: (Int, [Check]).self) { group in
            for (index, server) in servers.enumerated() {
                group.addTask { (index, await look(at: server.settings, for: server.environment)) }
            }
            var checks = [[Check]](repeating: [], count: servers.count)
            for await (index, found) in group { checks[index] = found }
            return checks.flatMap(\.self)
        }
    }

    private func look(at server: DataServerSettings, for used: Environment) async -> [Check] {
        let names = (server: "data server \(used)", clock: "data server's clock \(used)")
        let proxy = ProxyVariables(environment).proxy(for: server.host)
        let way = "\(server.host)\(proxy.map { " through the proxy \($0)" } ?? "")"
        let client: HTTPClient
        do throws(CommandFailure) {
            client = try server.httpClient(limit: Self.limit)
        } catch {
            return [Check(names.server, error)]
        }
        let before = SystemClock().now()
        let response: HTTPResponse
        do throws(HTTPError) {
            response = try await client.send(HTTPRequest(headOf: server.url))
        } catch {
            return [
                Self.failure(error, names.server, way), Check(names.clock, .skipped, "there was no answer"),
            ]
        }
        let after = SystemClock().now()
        let answer = Check(names.server, .ok, "\(way) answers over verified TLS (status \(response.status) to HEAD)")
        guard let date = response.headers["date"].flatMap(Instant.init(httpDate:)) else {
            return [
                answer,
                Check(
                    names.clock, .warning, "expected a Date header, found none", hint: "its clock cannot be compared"),
            ]
        }
        // `Date` is cut to whole seconds: half of one is the fairest guess.
        let difference = date + .milliseconds(500) - (before + (after - before) / 2)
        return [answer, Check(names.clock, ClockSkew(difference), of: "the data server for \(used)")]
    }

    private static func failure(_ error: HTTPError, _ name: String, _ way: String) -> Check {
        let expected = "expected an answer of \(way), found"
        guard case .unreachable(let failure) = DataServerReply(error).reply else {
            return Check(
                name, .failed(.dataServerUnavailable), "\(expected) none: \(error.description)",
                hint: "is the URL that of the data server?")
        }
        return Check(
            name, .failed(.dataServerUnavailable),
            "\(expected) a failure of \(failure.rawValue): \(error.description)", hint: question(about: failure))
    }
}

extension Check {
    /// A clock that was compared with this machine's; a run that finds as much ends with 1.
    init(_ name: String, _ skew: ClockSkew, of other: String) {
        guard skew.isTold else {
            self.init(name, .ok, "within \(skew.distanceWords) of this machine's")
            return
        }
        self.init(
            name, skew.isGrave ? .failed(.attention) : .warning, skew.words(of: other), hint: ClockSkew.hint)
    }
}
