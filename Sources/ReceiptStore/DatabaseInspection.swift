import AppAttest
import Postgres

/// Looks at a database without changing it.
package struct DatabaseInspection: Sendable {
    private let database: Database

    /// Looks through this connection.
    package init(_ database: Database) {
        self.database = database
    }

    /// What a connection says of itself and its server.
    package struct Server: Hashable, Sendable {
        /// The folder of a socket, or a host's name or address.
        package let host: String
        /// Such as `TLSv1.3`; nil without TLS.
        package let tlsVersion: String?
        /// 150018 for 15.18.
        package let version: Int
        /// Whether it is a standby, which takes no writes.
        package let isStandby: Bool
        /// Whether this role's transactions begin read-only here.
        package let isReadOnly: Bool

        /// Puts the facts together.
        package init(host: String, tlsVersion: String?, version: Int, isStandby: Bool, isReadOnly: Bool) {
            self.host = host
            self.tlsVersion = tlsVersion
            self.version = version
            self.isStandby = isStandby
            self.isReadOnly = isReadOnly
        }
    }

    /// Connects, and asks the server how it stands.
    package func server() async throws(PostgresError) -> Server {
        try await database.perform { connection throws(PostgresError) in
            let (host, tlsVersion, version) = (connection.host, connection.tlsVersion, connection.serverVersion)
            return try connection.one(.databaseState) { rows throws(PostgresError) in
                Server(
                    host: host, tlsVersion: tlsVersion, version: version, isStandby: try rows.read(),
                    isReadOnly: try rows.read())
            }
        }
    }

    /// Writes what a run writes, and rolls it back.
    package func tryWriting() async throws(PostgresError) {
        try await database.perform { connection throws(PostgresError) in
            try connection.rollingBack { connection throws(PostgresError) in _ = try connection.run(.tryWriting) }
        }
    }

    /// How far the server's clock is ahead of `clock`; zero where it fits in between the question and the answer.
    package func clockDifference(from clock: some WallClock) async throws(PostgresError) -> Duration {
        try await database.perform { connection throws(PostgresError) in try connection.clockDifference(from: clock) }
    }
}

extension Connection {
    /// See `DatabaseInspection.clockDifference`.
    func clockDifference(from clock: some WallClock) throws(PostgresError) -> Duration {
        let before = clock.now()
        let there = try one(.databaseClock) { rows throws(PostgresError) in try rows.instant() }
        let after = clock.now()
        if there > after { return there - after }
        return there < before ? there - before : .zero
    }
}
