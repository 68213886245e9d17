import AppAttest
import Postgres
import Refresh

/// A key on record.
struct KnownKey {
    /// The key.
    let keyID: KeyIdentifier
    /// Where it was attested.
    let app: AppEnvironment
    /// The back end's name for its device, where it gave one.
    let deviceRef: String?

    /// The subject it counts for.
    var subject: Subject {
        Subject(keyID: keyID, appID: app.appID, environment: app.environment, deviceRef: deviceRef)
    }

    /// Those of these keys that are on record.
    static func read(
        _ keys: [KeyIdentifier], on connection: borrowing Connection
    ) throws(PostgresError) -> [KeyIdentifier: KnownKey] {
        var known: [KeyIdentifier: KnownKey] = [:]
        var rows = try connection.run(.knownKeys, [.keyIDs(keys)])
        while rows.next() {
            let keyID = try rows.keyID()
            known[keyID] = KnownKey(
                keyID: keyID, app: AppEnvironment(appID: try rows.appID(), environment: try rows.word()),
                deviceRef: try rows.readOptional())
        }
        return known
    }
}
