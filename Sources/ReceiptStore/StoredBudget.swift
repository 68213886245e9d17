import AppAttest
import Postgres
import Refresh

/// The budget of a data server in its row, which each worker locks for as long as it takes to take a part.
enum StoredBudget {
    /// Grants a part in the transaction that is open.
    static func grant(
        _ request: SliceRequest, url: String, on connection: borrowing Connection
    ) throws(PostgresError) -> PaceSlice {
        var found = try lock(url, pace: request.pace, on: connection)
        if found.isEmpty {
            try connection.run(.addDataServer, [.text(url)])
            found = try lock(url, pace: request.pace, on: connection)
        }
        guard let row = found.first else {
            throw .unexpectedRowCount(query: Query.lockBudget.name, expected: 1, found: 0)
        }
        var budget = row.budget
        let slice = budget.grant(request, now: row.now)
        let rate = Int64((budget.rate * millionths).rounded())
        try connection.run(
            .writeBudget,
            [
                .text(url), .int(rate), .time(budget.ratedTime), .time(budget.grantedUntil), .time(budget.cutTime),
                .time(budget.pausedUntil),
            ])
        return slice
    }

    private static let millionths = 1_000_000.0

    private static func lock(
        _ url: String, pace: Pace, on connection: borrowing Connection
    ) throws(PostgresError) -> [(budget: SharedBudget, now: Instant)] {
        try connection.all(.lockBudget, [.text(url)]) { rows throws(PostgresError) in
            let now = try rows.instant()
            let rate: Int64? = try rows.readOptional()
            let ratedTime = try rows.optionalInstant()
            let grantedUntil = try rows.optionalInstant()
            let cutTime = try rows.optionalInstant()
            let pausedUntil = try rows.optionalInstant()
            guard let rate, let ratedTime else { return (SharedBudget(pace: pace, now: now), now) }
            let budget = SharedBudget(
                rate: Double(rate) / millionths, ratedTime: ratedTime, grantedUntil: grantedUntil, cutTime: cutTime,
                pausedUntil: pausedUntil)
            return (budget, now)
        }
    }
}
