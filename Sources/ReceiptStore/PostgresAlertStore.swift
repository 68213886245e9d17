import AppAttest
import Postgres
import Refresh

/// The alerts for operators: faults of the service itself, each from the run that found it to the one that found it
/// gone.
package struct PostgresAlertStore: Sendable {
    private let database: Database

    /// Alerts in this database, which must be migrated (`Migrator.checkSchema`).
    package init(database: Database) {
        self.database = database
    }

    /// At a run's end: reads what the store knows of faults, and writes what `judge` makes of it, in one transaction.
    /// Runs that end at the same time come one after the other.
    ///
    /// - Parameter judge: may be asked more than once.
    package func settle(
        now: Instant, _ judge: @Sendable (AlertFacts) -> AlertChanges
    ) async throws(StoreFailure) {
        try await database.storing { connection throws(PostgresError) in
            // First, so that the facts are no older than the alerts.
            let open = try connection.all(.openAlertsLocked) { rows throws(PostgresError) in try OpenAlert(&rows) }
            var facts = try connection.alertFacts(now: now)
            facts.open = open
            let changes = judge(facts)
            if !changes.found.isEmpty { try connection.write(changes.found, now: now) }
            if !changes.ended.isEmpty { try connection.close(changes.ended, now: now) }
        }
    }

    /// The open alerts, the one that has lasted longest first.
    package func open() async throws(StoreFailure) -> [OpenAlert] {
        try await database.reading { connection throws(PostgresError) in
            try connection.all(.openAlerts) { rows throws(PostgresError) in try OpenAlert(&rows) }
        }
    }
}

extension Connection {
    /// All but the open alerts.
    fileprivate func alertFacts(now: Instant) throws(PostgresError) -> AlertFacts {
        var facts = AlertFacts()
        var rows = try run(.quarantinedReceipts)
        while rows.next() {
            let word: String = try rows.read()
            // A later version's reasons are its own to tell of.
            if let reason = QuarantineReason(rawValue: word) { facts.quarantined[reason] = try rows.read() }
        }
        let late: (Int, Instant?) = try one(
            .lateReceipts, [.time(now - AlertJudgement.lateAfter)]
        ) { rows throws(PostgresError) in (try rows.read(), try rows.optionalInstant()) }
        (facts.late, facts.oldestDue) = late
        facts.lost = try one(
            .lostReceipts, [.time(now - AlertJudgement.lingering)]
        ) { rows throws(PostgresError) in try rows.read() }
        return facts
    }

    fileprivate func write(_ alerts: [OperatorAlert], now: Instant) throws(PostgresError) {
        let parameters: [Parameter] = [
            .texts(alerts.map(\.name.kind.rawValue)), .texts(alerts.map(\.name.cause)),
            .texts(alerts.map(\.message)), .texts(alerts.map(\.hint)), .time(now),
        ]
        _ = try run(.writeAlerts, parameters)
    }

    fileprivate func close(_ names: [AlertName], now: Instant) throws(PostgresError) {
        let parameters: [Parameter] = [
            .texts(names.map(\.kind.rawValue)), .texts(names.map(\.cause)), .time(now),
        ]
        _ = try run(.closeAlerts, parameters)
    }
}

extension OpenAlert {
    /// From a row of `Query.openAlerts`.
    fileprivate init(_ rows: inout Rows) throws(PostgresError) {
        self.init(
            kind: try rows.read(), cause: try rows.read(), message: try rows.read(), hint: try rows.read(),
            openedTime: try rows.instant(), seenTime: try rows.instant())
    }
}
