import Foundation
import Postgres

/// A running pgbouncer in front of the tests' cluster, pooling by transaction, on a Unix socket of its own.
///
/// It ends when the value does, or when the test process dies, because its keeper's standard input ends then.
package final class Pooler {
    private let folder: URL
    private let process = Process()
    private let input = Pipe()
    private let log = Pipe()

    /// Starts it before the server that `database` is on, and waits until it accepts connections.
    package init(before database: TestDatabase) throws {
        let server = try ConnectionSettings.parse(database.conninfo)
        folder = FileManager.default.temporaryDirectory.appending(path: "attestwatch-pooler-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let settings = folder.appending(path: "pgbouncer.ini")
        try """
        [databases]
        * = host=\(server.host ?? "") port=\(server.port ?? "5432") user=\(server.user ?? "postgres")
        [pgbouncer]
        listen_addr =
        listen_port = 6432
        unix_socket_dir = \(folder.path)
        auth_type = any
        pool_mode = transaction
        log_connections = 0
        log_disconnections = 0
        log_stats = 0
        """.write(to: settings, atomically: false, encoding: .utf8)
        // pgbouncer refuses to run as root; then it runs as the user that PostgreSQL's package made.
        var command: [String] = []
        if geteuid() == 0 {
            try FileManager.default.setAttributes([.ownerAccountName: "postgres"], ofItemAtPath: folder.path)
            command = ["runuser", "-u", "postgres", "--"]
        }
        let keeper = #"cd "$1" && { /usr/sbin/pgbouncer "$2" & cat >/dev/null; kill -9 $!; wait; }"#
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command + ["sh", "-c", keeper, "keeper", folder.path, settings.path]
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = log
        try process.run()
        var text = ""
        while !text.contains("process up") {
            let piece = log.fileHandleForReading.availableData
            if piece.isEmpty { throw PoolerDidNotStart(log: text) }
            text += String(decoding: piece, as: UTF8.self)
        }
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
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

/// pgbouncer ended before it was ready, and this is what it said.
package struct PoolerDidNotStart: Error {
    let log: String
}
