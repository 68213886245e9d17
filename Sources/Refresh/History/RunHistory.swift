import AppAttest

/// A run as the database has recorded it.
package struct RecordedRun: Hashable, Sendable {
    /// Its number; after a backup has been restored another may get the same.
    package let number: Int
    /// When it began.
    package let startTime: Instant

    /// Puts the parts together; nothing is checked.
    package init(number: Int, startTime: Instant) {
        self.number = number
        self.startTime = startTime
    }
}

/// What a database says of the runs before, when the next one begins.
package struct RunHistory: Hashable, Sendable {
    /// When the database's schema was made: by this a copy or a restored backup is known as the same database.
    package let birth: Instant
    /// The latest run.
    package let latest: RecordedRun?
    /// The latest run that came to its end.
    package let lastEnded: RecordedRun?
    /// Whether the run is on record that was asked for; true when none was.
    package let hasExpected: Bool
    /// The database's clock less the machine's; zero where it fits in between the question and the answer.
    package let clockSkew: Duration

    /// Puts the parts together; nothing is checked.
    package init(
        birth: Instant, latest: RecordedRun?, lastEnded: RecordedRun?, hasExpected: Bool, clockSkew: Duration
    ) {
        self.birth = birth
        self.latest = latest
        self.lastEnded = lastEnded
        self.hasExpected = hasExpected
        self.clockSkew = clockSkew
    }
}

/// What has come together at one data server while nothing ran.
package struct Backlog: Hashable, Sendable {
    /// A receipt expires soon within this time.
    package static let soon: Duration = .days(3)

    /// Receipts that are due.
    package let due: Int
    /// Those of them with data expected that expire soon.
    package let expiringSoon: Int
    /// Those with data expected that have expired since the last run.
    package let expired: Int

    /// Puts the parts together; nothing is checked.
    package init(due: Int, expiringSoon: Int, expired: Int) {
        self.due = due
        self.expiringSoon = expiringSoon
        self.expired = expired
    }
}
