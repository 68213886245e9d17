import AppAttest
import Migrations
import Postgres
import ReceiptStore
import Refresh
import Risk
import System
import Verification

extension Configuration {
    /// The database, not connected to yet.
    ///
    /// - Parameter limit: how long its connection may be lent at a time.
    func openDatabase(limit: Duration? = nil) throws(CommandFailure) -> Database {
        let text: String
        do throws(ConfigurationError) {
            text = try connectionString()
        } catch {
            throw .configuration(error)
        }
        do throws(PostgresError) {
            return try Database(text, limit: limit)
        } catch {
            throw .database(error)
        }
    }

    /// The database, once its schema is seen to be this program's.
    func openCheckedDatabase() async throws(CommandFailure) -> Database {
        let database = try openDatabase()
        do throws(StoreFailure) {
            try await checkSchema(of: database)
        } catch {
            throw .store(error)
        }
        return database
    }

    /// Looks whether the database's schema is this program's.
    func checkSchema(of database: Database) async throws(StoreFailure) {
        try await Migrator(database: database, files: Self.migrations).checkSchema()
    }

    /// The migrations that this program was built with.
    static var migrations: [MigrationFile] { migrationFiles.map { MigrationFile(name: $0.name, text: $0.text) } }

    /// The roles and rights that belong to them.
    static var access: AccessScripts {
        AccessScripts(
            roles: MigrationFile(name: rolesScript.name, text: rolesScript.text),
            grants: MigrationFile(name: grantsScript.name, text: grantsScript.text))
    }

    /// The thresholds and cadences that the store applies.
    var storeRules: StoreRules {
        var policies: [AppEnvironment: RiskPolicy] = [:]
        for app in apps {
            for (environment, policy) in app.environments {
                policies[AppEnvironment(appID: app.appID, environment: environment)] = policy
            }
        }
        return StoreRules(
            policies: policies, cadences: cadences, retention: retention, random: SystemRandomNumberGenerator())
    }

    /// The cadence of each app.
    var cadences: [AppID: Cadence] {
        var cadences: [AppID: Cadence] = [:]
        for app in apps { cadences[app.appID] = app.cadence }
        return cadences
    }

    /// A verifier that trusts Apple's root or the one in its place, and believes none of the blocked signers.
    func receiptVerifier() throws(CommandFailure) -> ReceiptVerifier {
        let anchors: TrustAnchors
        if let file = trustAnchors.receipts {
            anchors = try replacedAnchors(file)
        } else {
            anchors = try appleAnchors()
        }
        return ReceiptVerifier(trusting: anchors, blockedSigners: Set(blockedSigners))
    }
}
