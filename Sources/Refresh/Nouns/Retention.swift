/// For how long what has passed is kept. Receipts in use, open flags and open alerts are not among it.
package struct Retention: Hashable, Sendable {
    /// Readings, from the creation time of the receipt that said them. A key's newest reading stays beside its receipt
    /// for as long as the key does.
    package let readings: Duration
    /// Runs, from their start.
    package let runs: Duration
    /// Receipts handed over and refused, from then on.
    package let rejects: Duration
    /// Alerts, from when they were closed.
    package let alerts: Duration

    /// Puts the parts together; nothing is checked.
    package init(readings: Duration, runs: Duration, rejects: Duration, alerts: Duration) {
        self.readings = readings
        self.runs = runs
        self.rejects = rejects
        self.alerts = alerts
    }

    /// 400 d, so that a month can be held against the one a year before; 90 d for what was refused.
    package static let standard = Retention(
        readings: .days(400), runs: .days(400), rejects: .days(90), alerts: .days(400))
}

/// What went because it was older than its retention.
package struct PruneCounts: Hashable, Sendable {
    /// A month of readings.
    package struct Partition: Hashable, Sendable {
        /// The table's name, without the schema.
        package let name: String
        /// Whether it is gone; it is not while somebody holds it, or when it was only asked for.
        package let isDropped: Bool

        /// Puts the parts together.
        package init(name: String, isDropped: Bool) {
            self.name = name
            self.isDropped = isDropped
        }
    }

    /// Months of readings that are older than their retention.
    package var partitions: [Partition] = []
    /// Readings outside of any month's partition.
    package var readings = 0
    /// Runs.
    package var runs = 0
    /// Receipts handed over and refused.
    package var rejects = 0
    /// Closed alerts.
    package var alerts = 0

    /// Nothing went.
    package init() {}
}
