import AppAttest
import Postgres
import Refresh

/// Sums over a fleet for a forecast. Reads only; what comes out has a bounded size, however many keys there are.
package struct PostgresFleetSurvey: Sendable {
    private let database: Database

    /// Surveys of this database, which must be migrated (`Migrator.checkSchema`).
    package init(database: Database) {
        self.database = database
    }

    /// The fleet as it stands at `now`.
    ///
    /// - Parameters:
    ///   - app: only its keys; nil: all.
    ///   - days: how far ahead due times are told apart.
    ///   - budgets: requests a second of each data server.
    package func survey(
        app: AppID?, days: Int, budgets: [Environment: Double], at now: Instant
    ) async throws(StoreFailure) -> FleetSurvey {
        try await database.reading { connection throws(PostgresError) in
            var states: [ReceiptState: Int] = [:]
            var rows = try connection.run(.surveyStates, [.text(app?.text)])
            while rows.next() { states[try rows.word()] = try rows.read() }
            let groups = try connection.all(
                .surveyGroups, [.time(now), .text(app?.text), .int(Int64(days))]
            ) { rows throws(PostgresError) in try KeyGroup(&rows) }
            var queues: [Environment: QueueSurvey] = [:]
            for (environment, rate) in budgets {
                queues[environment] = try Self.queue(
                    environment, app: app, rate: rate, now: now, on: connection)
            }
            return FleetSurvey(states: states, groups: groups, queues: queues)
        }
    }

    private static func queue(
        _ environment: Environment, app: AppID?, rate: Double, now: Instant,
        on connection: borrowing Connection
    ) throws(PostgresError) -> QueueSurvey {
        var backlog: [Rank: QueueSurvey.Backlog] = [:]
        var allDue = 0
        var rows = try connection.run(
            .surveyBacklog,
            [
                .time(now), .text(environment.rawValue), .text(app?.text), .time(now - .hours(24)),
                .int(Int64(1e6 / rate)), .ints(Rank.allCases.map(\.share)),
            ])
        while rows.next() {
            let rank = try rows.rank()
            backlog[rank] = QueueSurvey.Backlog(due: try rows.read(), overdue: try rows.read(), lost: try rows.read())
            allDue += try rows.read(Int.self)
        }
        var hours = [Int](repeating: 0, count: FleetPlan.hours)
        let end = now + .hours(hours.count)
        rows = try connection.run(
            .surveyHours, [.time(now), .text(environment.rawValue), .text(app?.text), .time(end)])
        while rows.next() {
            let hour: Int = try rows.read()
            let count: Int = try rows.read()
            if hours.indices.contains(hour) { hours[hour] = count }
        }
        return QueueSurvey(backlog: backlog, allDue: allDue, hours: hours)
    }
}

extension KeyGroup {
    /// From a row of `Query.surveyGroups`.
    fileprivate init(_ rows: inout Rows) throws(PostgresError) {
        let appID = try rows.appID()
        let environment: Environment = try rows.word()
        let state: ReceiptState = try rows.word()
        let (isReader, isFlagged): (Bool, Bool) = (try rows.read(), try rows.read())
        let type: ReceiptType = try rows.word()
        let hasMetric: Bool = try rows.read()
        let count: Int = try rows.read()
        let due = try rows.instant()...(try rows.instant())
        let (firstAttested, lastAttested) = (try rows.optionalInstant(), try rows.optionalInstant())
        let expiration = try rows.instant()...(try rows.instant())
        self.init(
            appID: appID, environment: environment, state: state, isReader: isReader, isFlagged: isFlagged, type: type,
            hasMetric: hasMetric, count: count, due: due,
            attested: firstAttested.flatMap { first in lastAttested.map { first...$0 } }, expiration: expiration,
            opening: .seconds(try rows.read(Int64.self)), lifetime: .seconds(try rows.read(Int64.self)))
    }
}
