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

    /// The pace of each data server.
    var paces: [Environment: Pace] {
        dataServers.mapValues { Pace(requestsPerSecond: $0.requestsPerSecond, inFlight: $0.inFlight) }
    }

    /// Reads the signing keys of all apps, the first of each being the one in use.
    ///
    /// - Throws: `fileRefused` for a file that cannot be read, that others can read, or that holds no P-256 private
    ///   key; `contradiction` for two files with different keys under one identifier of one team.
    func signingKeys(environment: [String: String]) throws(ConfigurationError) -> [AppID: [SigningKey]] {
        let files = PrivateFile(credentialsDirectory: environment["CREDENTIALS_DIRECTORY"])
        var keys: [AppID: [SigningKey]] = [:]
        var known: [TeamKey: (file: String, point: [UInt8]?)] = [:]
        for app in apps {
            for settings in app.signingKeys {
                let content = try files.read(settings.file, for: settings.place)
                let key: SigningKey
                do throws(SigningKeyError) {
                    key = try SigningKey(id: settings.id, file: content)
                } catch {
                    throw .fileRefused(
                        settings.place, file: settings.file, reason: error.description,
                        hint: "it must be the AuthKey_….p8 file of key \(settings.id) as Apple gave it out")
                }
                // Apps of one team share a key's JWT: two keys of one name would leave one of them unused.
                let name = TeamKey(team: app.teamID, keyID: settings.id)
                let point = try? key.key.publicPoint()
                if let other = known[name], other.point != point {
                    throw .contradiction(
                        settings.place,
                        "expected one key under the identifier \(settings.id) of team \(app.teamID), "
                            + "found different ones in \(other.file) and \(settings.file)",
                        hint: "name the AuthKey_\(settings.id).p8 file of that key in both places")
                }
                known[name] = (settings.file, point)
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
            let settings = HTTPSettings(
                userAgent: "attestwatch/\(attestwatchVersion)", certificateAuthorityFile: server.tlsCAFile)
            do throws(SystemError) {
                endpoints[environment] = .init(url: server.url, client: try HTTPClient(settings))
            } catch {
                throw .system(error)
            }
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

/// How Apple tells signing keys apart.
private struct TeamKey: Hashable {
    let team: TeamID
    let keyID: String
}
