import AppAttest
import DataServer
import HTTP
import Refresh
import System

extension Configuration {
    /// The team that signs for each app.
    var teams: [AppID: TeamID] {
        var teams: [AppID: TeamID] = [:]
        for app in apps { teams[app.appID] = app.teamID }
        return teams
    }

    /// The IDs of each app's signing keys, in the order in which they are tried.
    var keyIDs: [AppID: [String]] {
        var keyIDs: [AppID: [String]] = [:]
        for app in apps { keyIDs[app.appID] = app.signingKeys.map(\.id) }
        return keyIDs
    }

    /// The pace of each data server.
    var paces: [Environment: Pace] {
        dataServers.mapValues { Pace(requestsPerSecond: $0.requestsPerSecond, inFlight: $0.inFlight) }
    }

    /// Reads the signing keys of all apps, the first of each being the one in use.
    ///
    /// - Throws: `fileRefused` for a file that cannot be read, that others can read, or that holds no P-256 private
    ///   key; `contradiction` for two files with different keys under one identifier of one team.
    func signingKeys(environment: [String: String]) throws(ConfigurationError) -> [AppID: [SigningKey]] {
        let files = PrivateFile(environment)
        var keys: [AppID: [SigningKey]] = [:]
        var known = KnownSigningKeys()
        for app in apps {
            for settings in app.signingKeys {
                let key = try files.signingKey(settings)
                _ = try known.add(key, team: app.teamID, settings)
                keys[app.appID, default: []].append(key)
            }
        }
        return keys
    }

    /// A client of the data servers in use, its keys loaded; nothing is connected to yet.
    func dataServerClient(_ context: CommandContext) throws(CommandFailure) -> DataServerClient {
        let keys: [AppID: [SigningKey]]
        do throws(ConfigurationError) {
            keys = try signingKeys(environment: context.environment)
        } catch {
            throw .configuration(error)
        }
        var endpoints: [Environment: DataServerClient.Endpoint] = [:]
        for (environment, server) in dataServers {
            endpoints[environment] = .init(url: server.url, client: try server.httpClient())
        }
        do throws(DataServerSetupError) {
            return try DataServerClient(
                endpoints: endpoints,
                apps: apps.map { .init(id: $0.appID, team: $0.teamID, signingKeys: keys[$0.appID] ?? []) },
                scheme: authorization, contentType: contentType, clock: context.clock)
        } catch {
            throw .dataServerSetup(error)
        }
    }
}

extension DataServerSettings {
    /// A client that trusts whom this server's settings say; nothing is connected to yet.
    ///
    /// - Parameter limit: the time for a request, where it is not the usual one.
    func httpClient(limit: Duration = HTTPSettings.standardTotal) throws(CommandFailure) -> HTTPClient {
        var settings = HTTPSettings(
            userAgent: "attestwatch/\(attestwatchVersion)", certificateAuthorityFile: tlsCAFile)
        settings.totalMilliseconds = Int(limit.components.seconds * 1000)
        do throws(SystemError) { return try HTTPClient(settings) } catch { throw .system(error) }
    }
}

extension PrivateFile {
    /// Reads a signing key.
    func signingKey(_ settings: SigningKeySettings) throws(ConfigurationError) -> SigningKey {
        let file = try path(of: settings)
        let content = try read(file, for: settings.place, hint: Self.hint(for: settings.source))
        do throws(SigningKeyError) {
            return try SigningKey(id: settings.id, file: content)
        } catch {
            throw .fileRefused(
                settings.place, file: file, reason: error.description,
                hint: "it must be the AuthKey_….p8 file of key \(settings.id) as Apple gave it out")
        }
    }
}

/// The keys read so far: apps of one team share a key's JWT, and two keys of one name would leave one of them unused.
struct KnownSigningKeys {
    /// How Apple tells signing keys apart.
    private struct Name: Hashable {
        let team: TeamID
        let keyID: String
    }

    private var keys: [Name: (source: SigningKeySettings.Source, point: [UInt8]?)] = [:]

    /// Adds a key.
    ///
    /// - Returns: the identifier of another one of the team that is the same key.
    /// - Throws: `contradiction` for another key under the same identifier.
    mutating func add(
        _ key: SigningKey, team: TeamID, _ settings: SigningKeySettings
    ) throws(ConfigurationError) -> String? {
        let name = Name(team: team, keyID: settings.id)
        let point = try? key.key.publicPoint()
        if let other = keys[name], other.point != point {
            throw .contradiction(
                settings.place,
                "expected one key under the identifier \(settings.id) of team \(team), "
                    + "found different ones in \(other.source) and \(settings.source)",
                hint: "name the AuthKey_\(settings.id).p8 file of that key in both places")
        }
        keys[name] = (settings.source, point)
        return keys.first { $0.key.team == team && $0.key != name && $0.value.point == point }?.key.keyID
    }
}
