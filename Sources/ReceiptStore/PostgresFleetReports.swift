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
    /// retired and lost: in that of its state, and while it is active by its newest reading.
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
            try connection.one(.keyLevel, [.bytes(keyID.bytes), .time(now)]) { rows throws(PostgresError) in
                KeyLevel(
                    level: try rows.read(), riskMetric: try rows.readOptional(),
                    metricTime: try rows.optionalInstant(), flagLevel: try rows.optionalWord())
            }
        }
    }
}

/// Which flagged subjects are asked for.
package struct FlaggedFilter: Hashable, Sendable {
    /// Only this app; nil: all.
    package var app: AppID?
    /// Only this environment; nil: both.
    package var environment: Environment?
    /// Only flags at this level or above.
    package var minimumLevel: FlagLevel

    /// Everything, unless narrowed.
    package init(app: AppID? = nil, environment: Environment? = nil, minimumLevel: FlagLevel = .watch) {
        self.app = app
        self.environment = environment
        self.minimumLevel = minimumLevel
    }
}

/// The row of `attestwatch.key_level`.
package struct KeyLevel: Hashable, Sendable {
    /// `unknown`, `clear`, `watch`, `review`, `high`, `quiet`, `stale` or `not_on_record`.
    package let level: String
    /// The highest reading under 30 days of any key of the subject, else its newest.
    package let riskMetric: Int?
    /// The creation time of the receipt that said it.
    package let metricTime: Instant?
    /// The subject's open flag.
    package let flagLevel: FlagLevel?

    /// Puts the parts together.
    package init(level: String, riskMetric: Int?, metricTime: Instant?, flagLevel: FlagLevel?) {
        self.level = level
        self.riskMetric = riskMetric
        self.metricTime = metricTime
        self.flagLevel = flagLevel
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
            freshness: try rows.word())
    }
}
