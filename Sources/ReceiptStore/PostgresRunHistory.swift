import AppAttest
import Postgres
import Refresh

/// What a run wants to know of those before it. Reads only.
package struct PostgresRunHistory: Sendable {
    private let database: Database

    /// The history in this database, which must be migrated (`Migrator.checkSchema`).
    package init(database: Database) {
        self.database = database
    }

    /// What stands there now.
    ///
    /// - Parameters:
    ///   - expected: a run that was on record once; nil: none is asked for.
    ///   - clock: the machine's own, which the database's is held against.
    package func read(
        expecting expected: RecordedRun?, clock: some WallClock
    ) async throws(StoreFailure) -> RunHistory {
        try await database.reading { connection throws(PostgresError) in
            let birth = try connection.one(.databaseBirth) { rows throws(PostgresError) in try rows.instant() }
            let latest = try connection.all(.latestRun) { rows throws(PostgresError) in try RecordedRun(&rows) }
            let lastEnded = try connection.all(.lastEndedRun) { rows throws(PostgresError) in try RecordedRun(&rows) }
            var hasExpected = true
            if let expected {
                hasExpected = try connection.one(
                    .runExists, [.int(Int64(expected.number)), .time(expected.startTime)]
                ) { rows throws(PostgresError) in try rows.read() }
            }
            return RunHistory(
                birth: birth, latest: latest.first, lastEnded: lastEnded.first, hasExpected: hasExpected,
                clockSkew: try connection.clockDifference(from: clock))
        }
    }

    /// What is due at `now`, by data server, when nothing has run since `lastRun`.
    package func backlog(at now: Instant, since lastRun: Instant) async throws(StoreFailure) -> [Environment: Backlog] {
        let parameters: [Parameter] = [.time(now), .time(now + Backlog.soon), .time(lastRun)]
        return try await database.reading { connection throws(PostgresError) in
            var backlogs: [Environment: Backlog] = [:]
            var rows = try connection.run(.backlog, parameters)
            while rows.next() {
                let environment: Environment = try rows.word()
                backlogs[environment] = Backlog(
                    due: try rows.read(), expiringSoon: try rows.read(), expired: try rows.read())
            }
            return backlogs
        }
    }
}

extension RecordedRun {
    /// From a row of `Query.latestRun`.
    fileprivate init(_ rows: inout Rows) throws(PostgresError) {
        self.init(number: try rows.read(), startTime: try rows.instant())
    }
}
