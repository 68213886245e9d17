import AppAttest
import Postgres
import Refresh
import Risk

/// What people ask about the fleet. Reads only.
package struct PostgresFleetReports: Sendable {
    private let database: Database

    /// Reports from this database, which must be migrated (`Migrator.checkSchema`).
    package init(database: Database) {
        self.database = database
    }

    /// The state of the whole fleet at `now`. Each key counts in one of unknown, fresh, quiet, stale, quarantined,
    /// dropped, retired and lost: in that of its state, and while it is active by its newest reading.
    package func fleetStatus(at now: Instant) async throws(StoreFailure) -> FleetStatus {
        let parameters: [Parameter] = [.time(now), .time(now - KeyStanding.freshFor), .time(now - .hours(24))]
        return try await database.reading { connection throws(PostgresError) in
            var status = try connection.one(.fleetStatus, parameters) { rows throws(PostgresError) in
                try FleetStatus(&rows)
            }
            var last = try connection.run(.lastRun)
            if last.next() {
                status.lastRunStart = try last.instant()
                status.lastRunEnd = try last.optionalInstant()
            }
            (status.pending, status.rejected) = try connection.one(.countSubmissions) { rows throws(PostgresError) in
                (try rows.read(), try rows.read())
            }
            return status
        }
    }

    /// The flagged subjects as they stand at `now`: the highest level first, then the latest change.
    package func flaggedDevices(
        _ filter: FlaggedFilter = FlaggedFilter(), at now: Instant
    ) async throws(StoreFailure) -> [FlaggedDevice] {
        let levels = FlagLevel.allCases.filter { $0 >= filter.minimumLevel }
        let parameters: [Parameter] = [
            .time(now), .text(filter.app?.text), .text(filter.environment?.rawValue), .words(levels),
        ]
        return try await database.reading { connection throws(PostgresError) in
            try connection.all(.flaggedDevices, parameters) { rows throws(PostgresError) in
                try FlaggedDevice(&rows)
            }
        }
    }

    /// The level of a key as a back end reads it; see migration 0002.
    package func keyLevel(of keyID: KeyIdentifier, at now: Instant) async throws(StoreFailure) -> KeyLevel {
        try await database.reading { connection throws(PostgresError) in
            try connection.one(.levelOfKey, [.bytes(keyID.bytes), .time(now)]) { rows throws(PostgresError) in
                try KeyLevel(&rows)
            }
        }
    }
}

extension FleetStatus {
    /// From the row of `Query.fleetStatus`.
    fileprivate init(_ rows: inout Rows) throws(PostgresError) {
        self.init()
        unknown = try rows.read()
        fresh = try rows.read()
        quiet = try rows.read()
        stale = try rows.read()
        due = try rows.read()
        overdue = try rows.read()
        quarantined = try rows.read()
        dropped = try rows.read()
        retired = try rows.read()
        lost = try rows.read()
        oldestDue = try rows.optionalInstant()
        soonestExpiry = try rows.optionalInstant()
    }
}

extension FlaggedDevice {
    /// From a row of `Query.flaggedDevices`.
    fileprivate init(_ rows: inout Rows) throws(PostgresError) {
        self.init(
            appID: try rows.appID(), environment: try rows.word(), deviceRef: try rows.readOptional(),
            keyID: try rows.keyID(), userRef: try rows.readOptional(), level: try rows.word(),
            openedTime: try rows.instant(), changedTime: try rows.instant(), riskMetric: try rows.readOptional(),
            metricTime: try rows.optionalInstant(), peakMetric: try rows.readOptional(), keyCount: try rows.read(),
            freshness: try rows.word(), review: try FlagReview(&rows))
    }
}

extension FlagReview {
    /// From the last columns of a row of `Query.flaggedDevices`; nil where they are null.
    fileprivate init?(_ rows: inout Rows) throws(PostgresError) {
        let time = try rows.optionalInstant()
        let (reviewer, verdict): (String?, String?) = (try rows.readOptional(), try rows.readOptional())
        let note: String? = try rows.readOptional()
        guard let time, let reviewer, let verdict else { return nil }
        self.init(time: time, reviewer: reviewer, verdict: verdict, note: note)
    }
}
