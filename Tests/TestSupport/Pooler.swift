import Foundation
import Postgres

/// A running pgbouncer in front of the tests' cluster, pooling by transaction, on a Unix socket of its own.
///
/// It ends when the value does, or when the test process dies, because its keeper ends then.
package final class Pooler {
    private static let keeping =
        #"cd "$1" && { /usr/sbin/pgbouncer pgbouncer.ini & cat >/dev/null; kill -9 $!; wait; }"#

    private let folder: URL
    private let keeper: Keeper

    /// Starts it before the server that `database` is on, with so many sessions there for each database, and waits
    /// until it accepts connections.
    ///
    /// A server that went away is looked for again every second, and work that waits for it is refused after five.
    package init(before database: TestDatabase, poolSize: Int = 20) throws {
        let server = try ConnectionSettings.parse(database.conninfo)
        folder = try Keeper.makeFolder("pooler")
        try """
        [databases]
        * = host=\(server.host ?? "") port=\(server.port ?? "5432") user=\(server.user ?? "postgres")
        [pgbouncer]
        listen_addr =
        listen_port = 6432
        unix_socket_dir = \(folder.path)
        auth_type = any
        pool_mode = transaction
        default_pool_size = \(poolSize)
        server_login_retry = 1
        query_wait_timeout = 5
        log_connections = 0
        log_disconnections = 0
        log_stats = 0
        """.write(to: folder.appending(path: "pgbouncer.ini"), atomically: false, encoding: .utf8)
        keeper = try Keeper(Self.keeping, [folder.path], until: "process up")
    }

    deinit {
        keeper.end()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The same database, reached through this.
    package func lead(to database: TestDatabase) throws -> TestDatabase {
        let settings = try ConnectionSettings.parse(database.conninfo)
        let conninfo =
            "host=\(folder.path) port=6432 user=\(settings.user ?? "postgres") dbname=\(settings.databaseName ?? "")"
        return TestDatabase(conninfo: conninfo, database: try Database(conninfo))
    }
}
