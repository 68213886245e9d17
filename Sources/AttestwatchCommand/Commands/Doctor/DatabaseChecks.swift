import AppAttest
import Postgres
import ReceiptStore
import Refresh
import System

/// The database, through a connection of its own.
package struct DatabaseChecks: Sendable {
    private static let limit: Duration = .seconds(10)
    private static let names = (
        connection: "database connection", version: "database version", writing: "database writes",
        migrations: "migrations", role: "database role", clock: "database clock"
    )
    /// README: PostgreSQL 15 or later.
    private static let oldestVersion = 150_000

    private let configuration: Configuration

    /// Looks where this configuration leads.
    init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    /// All of them; those that need a connection are skipped where there is none.
    func all() async -> [Check] {
        let database: Database
        let server: DatabaseInspection.Server
        do throws(CommandFailure) {
            (database, server) = try await connect()
        } catch {
            let names = [
                Self.names.version, Self.names.writing, Self.names.migrations, Self.names.role, Self.names.clock,
            ]
            return [Check(Self.names.connection, error)]
                + names.map { Check($0, .skipped, "there is no connection to the database") }
        }
        let writing = Self.writing(server)
        let migrations = await migrations(database)
        let isReady = writing.state == .ok && !migrations.contains { $0.state != .ok }
        let role =
            isReady
            ? await role(database) : Check(Self.names.role, .skipped, "it needs writes and every migration")
        return [Self.connection(server), Self.version(server.version), writing] + migrations
            + [role, await clock(database)]
    }

    private func connect() async throws(CommandFailure) -> (Database, DatabaseInspection.Server) {
        let database = try configuration.openDatabase(limit: Self.limit)
        do throws(PostgresError) {
            return (database, try await DatabaseInspection(database).server())
        } catch {
            throw .database(error)
        }
    }

    private static func connection(_ server: DatabaseInspection.Server) -> Check {
        let way = server.host.hasPrefix("/") ? "over the socket in" : "over the network to"
        let tls = server.tlsVersion.map { ", \($0)" } ?? (server.host.hasPrefix("/") ? "" : ", without TLS")
        return Check(names.connection, .ok, "\(way) \(server.host)\(tls)")
    }

    /// Whether the version, 150018 for 15.18, is one that this program knows.
    package static func version(_ number: Int) -> Check {
        let found = "\(number / 10_000).\(number % 10_000)"
        guard number >= oldestVersion else {
            return Check(
                names.version, .failed(.database),
                "expected PostgreSQL \(oldestVersion / 10_000) or later, found \(found)",
                hint: "the migrations and queries need a newer server")
        }
        return Check(names.version, .ok, "PostgreSQL \(found)")
    }

    private static func writing(_ server: DatabaseInspection.Server) -> Check {
        if server.isStandby {
            return Check(
                names.writing, .failed(.database), "expected a server that takes writes, found a standby",
                hint: "name the primary, or every server and target_session_attrs=read-write")
        }
        if server.isReadOnly {
            return Check(
                names.writing, .failed(.database),
                "expected a database that takes writes, found default_transaction_read_only to be on",
                hint: "it was made read-only for this role, database or server; has a disk run full?")
        }
        return Check(names.writing, .ok, "it is a primary and not read-only")
    }

    private func migrations(_ database: Database) async -> [Check] {
        let pending: [String]
        do throws(MigrationFailure) {
            pending = try await Migrator(database: database, files: Configuration.migrations).pending()
        } catch {
            return [Check(Self.names.migrations, .migration(error))]
        }
        guard pending.isEmpty else {
            return pending.map { name in
                Check(
                    Self.names.migrations, .failed(.database), "expected \(name) to be applied, found it is not",
                    hint: "run 'attestwatch migrate'")
            }
        }
        return [Check(Self.names.migrations, .ok, "all \(Configuration.migrations.count) are applied")]
    }

    private func role(_ database: Database) async -> Check {
        do throws(PostgresError) {
            try await DatabaseInspection(database).tryWriting()
        } catch {
            return Check(
                Self.names.role, .failed(.database), "expected a role that may write, found \(error.words)",
                hint: PostgresError.rightsHint)
        }
        return Check(Self.names.role, .ok, "it may write")
    }

    private func clock(_ database: Database) async -> Check {
        do throws(PostgresError) {
            let difference = try await DatabaseInspection(database).clockDifference(from: SystemClock())
            return Check(Self.names.clock, ClockSkew(difference), of: "the database's server")
        } catch {
            return Check(Self.names.clock, .database(error))
        }
    }
}
