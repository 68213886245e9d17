import AppAttest
import Postgres
import Refresh

/// What has passed: room is made for the months to come, and what is older than its retention goes.
package struct PostgresRetentionStore: Sendable {
    private let database: Database
    private let batchSize: Int

    /// A store on this database, which must be migrated (`Migrator.checkSchema`).
    ///
    /// - Parameter batchSize: rows a transaction.
    package init(database: Database, batchSize: Int = 10_000) {
        self.database = database
        self.batchSize = batchSize
    }

    /// Makes the partitions of readings of the month of `now` and of the three after it, where they are missing.
    ///
    /// - Returns: how many it made.
    package func makePartitions(at now: Instant) async throws(StoreFailure) -> Int {
        try await database.reading { connection throws(PostgresError) in
            try connection.one(.makePartitions, [.time(now)]) { rows throws(PostgresError) in try rows.read() }
        }
    }

    /// Takes away what is older than its retention; months of readings go when all of them is. Receipts in use, with
    /// the newest reading of each key, open alerts and all flags stay.
    package func prune(_ retention: Retention, now: Instant) async throws(StoreFailure) -> PruneCounts {
        var counts = PruneCounts()
        counts.partitions = try await partitions(endedBy: now - retention.readings, dropsThem: true)
        counts.readings = try await remove(.removeOldReadings, before: now - retention.readings)
        counts.runs = try await remove(.removeOldRuns, before: now - retention.runs)
        counts.rejects = try await remove(.removeOldRejections, before: now - retention.rejects)
        counts.alerts = try await remove(.removeOldAlerts, before: now - retention.alerts)
        return counts
    }

    /// What `prune` would take away.
    package func count(_ retention: Retention, now: Instant) async throws(StoreFailure) -> PruneCounts {
        var counts = PruneCounts()
        counts.partitions = try await partitions(endedBy: now - retention.readings, dropsThem: false)
        counts.readings = try await count(.countOldReadings, before: now - retention.readings)
        counts.runs = try await count(.countOldRuns, before: now - retention.runs)
        counts.rejects = try await count(.countOldRejections, before: now - retention.rejects)
        counts.alerts = try await count(.countOldAlerts, before: now - retention.alerts)
        return counts
    }

    private func partitions(
        endedBy instant: Instant, dropsThem: Bool
    ) async throws(StoreFailure) -> [PruneCounts.Partition] {
        try await database.reading { connection throws(PostgresError) in
            try connection.all(.dropPartitions, [.time(instant), .bool(!dropsThem)]) { rows throws(PostgresError) in
                PruneCounts.Partition(name: try rows.read(), isDropped: try rows.read())
            }
        }
    }

    private func count(_ query: Query, before instant: Instant) async throws(StoreFailure) -> Int {
        try await database.reading { connection throws(PostgresError) in
            try connection.one(query, [.time(instant)]) { rows throws(PostgresError) in try rows.read() }
        }
    }

    /// Removes in batches, so that nobody waits long for a row, until a batch is not full.
    private func remove(_ query: Query, before instant: Instant) async throws(StoreFailure) -> Int {
        let parameters: [Parameter] = [.time(instant), .int(Int64(batchSize))]
        var total = 0
        while true {
            let removed = try await database.storing { connection throws(PostgresError) in
                try connection.run(query, parameters).affectedCount
            }
            total += removed
            if removed < batchSize { return total }
        }
    }
}
