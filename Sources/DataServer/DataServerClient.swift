import AppAttest
import HTTP
import Refresh
import Synchronization

/// Apple's data server, or what stands in its place: one receipt in a request, one answer.
package final class DataServerClient: DataServerSending {
    /// Where the receipts of one environment go.
    package struct Endpoint: Sendable {
        let url: String
        let client: HTTPClient

        /// The whole URL, and the client that trusts whom this server's settings say.
        package init(url: String, client: HTTPClient) {
            self.url = url
            self.client = client
        }
    }

    /// Who signs for an app.
    package struct App: Sendable {
        let id: AppID
        let team: TeamID
        let signingKeys: [SigningKey]

        /// The keys are tried in this order; a second one is for the days in which keys are changed.
        package init(id: AppID, team: TeamID, signingKeys: [SigningKey]) {
            self.id = id
            self.team = team
            self.signingKeys = signingKeys
        }
    }

    private let endpoints: [Environment: Endpoint]
    private let credentials: [AppID: [Credential]]
    private let clock: any WallClock
    /// Which of an app's keys is tried first: the one that was taken when another was refused.
    private let preferred = Mutex<[AppID: Int]>([:])

    /// Signs with every key once, so that one that cannot sign is known before anything is sent.
    package init(
        endpoints: [Environment: Endpoint], apps: [App], scheme: AuthorizationScheme = .bare,
        contentType: String = "application/octet-stream", clock: any WallClock
    ) throws(DataServerSetupError) {
        struct Name: Hashable {
            let team: TeamID
            let keyID: String
        }
        // Apps of one team share a key's JWT.
        var shared: [Name: Credential] = [:]
        var credentials: [AppID: [Credential]] = [:]
        for app in apps {
            for key in app.signingKeys {
                let name = Name(team: app.team, keyID: key.id)
                let credential: Credential
                if let known = shared[name] {
                    credential = known
                } else {
                    credential = try Credential(
                        team: app.team, key: key, scheme: scheme, contentType: contentType, now: clock.now())
                }
                shared[name] = credential
                credentials[app.id, default: []].append(credential)
            }
        }
        self.endpoints = endpoints
        self.credentials = credentials
        self.clock = clock
    }

    /// Sends the receipt, signed with the first key that was not refused for it. A key that is taken where another was
    /// refused goes first from then on, so that keys can be changed at the price of one call.
    package func send(
        _ receipt: ReceiptBytes, app: AppID, environment: Environment, refusedKeys: Set<Int> = []
    ) async -> DataServerReply {
        guard let endpoint = endpoints[environment] else {
            return DataServerReply(notSent: "no data server is configured for \(environment)")
        }
        guard let credentials = credentials[app] else {
            return DataServerReply(notSent: "no signing key is configured for this app")
        }
        let first = preferred.withLock { $0[app] } ?? 0
        let untried = ([first] + credentials.indices.filter { $0 != first }).filter { !refusedKeys.contains($0) }
        guard let place = untried.first else {
            return DataServerReply(notSent: "every signing key of this app has been refused")
        }
        let request = HTTPRequest(
            url: endpoint.url, headers: credentials[place].headers(now: clock.now()),
            body: Base64.encodedOctets(receipt.bytes))
        var reply = await answer(request, endpoint.client)
        if reply.reply == .unauthorized {
            reply.refusedKey = untried.count > 1 ? place : nil
        } else if !refusedKeys.isEmpty, reply.reply.isOfService {
            preferred.withLock { $0[app] = place }
        }
        return reply
    }

    package func giveUp() {
        for endpoint in endpoints.values { endpoint.client.giveUp() }
    }

    private func answer(_ request: HTTPRequest, _ client: HTTPClient) async -> DataServerReply {
        do throws(HTTPError) {
            return DataServerReply(try await client.send(request))
        } catch {
            return DataServerReply(error)
        }
    }
}

extension Reply {
    /// Whether the data server went into the request, so that the credential was taken.
    fileprivate var isOfService: Bool {
        switch self {
        case .receipt, .notModified, .incorrectEnvironment, .badRequest, .noData: true
        case .unauthorized, .tooManyRequests, .serverFailure, .unreachable, .refusedStream, .unexpected: false
        }
    }
}
