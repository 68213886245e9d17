import AppAttest

/// A fleet in sums, as far as a forecast needs it: however many keys there are, this has a bounded size.
package struct FleetSurvey: Hashable, Sendable {
    /// Keys by state; a state that no key has may be missing.
    package let states: [ReceiptState: Int]
    /// The keys that runs send, in groups of keys that are much alike.
    package let groups: [KeyGroup]
    /// What is due already, and what is already planned, by environment.
    package let queues: [Environment: QueueSurvey]

    /// Puts the parts together; nothing is checked.
    package init(states: [ReceiptState: Int], groups: [KeyGroup], queues: [Environment: QueueSurvey]) {
        self.states = states
        self.groups = groups
        self.queues = queues
    }
}

/// What waits for one data server.
package struct QueueSurvey: Hashable, Sendable {
    /// The rows that are due, by rank.
    package let backlog: [Rank: Backlog]
    /// All rows that are due, of any app.
    package let allDue: Int
    /// Due within each of the coming hours, the first first: what is planned at present, not what follows from it.
    package let hours: [Int]

    /// The rows of one rank.
    package struct Backlog: Hashable, Sendable {
        /// Rows due.
        package let due: Int
        /// Those that have been due for over a day.
        package let overdue: Int
        /// Those of them that expire before their turn.
        package let lost: Int

        /// Puts the counts together; nothing is checked.
        package init(due: Int, overdue: Int, lost: Int) {
            self.due = due
            self.overdue = overdue
            self.lost = lost
        }
    }

    /// Puts the parts together; nothing is checked.
    package init(backlog: [Rank: Backlog], allDue: Int, hours: [Int]) {
        self.backlog = backlog
        self.allDue = allDue
        self.hours = hours
    }
}

/// Keys that are much alike: of one app, in one state, due within a day of each other, attested within one.
package struct KeyGroup: Hashable, Sendable {
    /// Of which app.
    package let appID: AppID
    /// Where they were attested.
    package let environment: Environment
    /// Active or quiet: others are never sent.
    package let state: ReceiptState
    /// Whether their subjects are read through them.
    package let isReader: Bool
    /// Whether their subjects are flagged.
    package let isFlagged: Bool
    /// Field 6 of their receipts.
    package let type: ReceiptType
    /// Whether their receipts have a metric.
    package let hasMetric: Bool
    /// How many there are.
    package let count: Int
    /// From the first due time to the last.
    package let due: ClosedRange<Instant>
    /// From the first attestation to the last; nil where that is not known.
    package let attested: ClosedRange<Instant>?
    /// From the first expiration time to the last.
    package let expiration: ClosedRange<Instant>
    /// From creation to not-before, on average; zero where there is none.
    package let opening: Duration
    /// From creation to expiration, on average.
    package let lifetime: Duration

    /// Puts the parts together; nothing is checked.
    package init(
        appID: AppID, environment: Environment, state: ReceiptState, isReader: Bool, isFlagged: Bool,
        type: ReceiptType, hasMetric: Bool, count: Int, due: ClosedRange<Instant>, attested: ClosedRange<Instant>?,
        expiration: ClosedRange<Instant>, opening: Duration, lifetime: Duration
    ) {
        self.appID = appID
        self.environment = environment
        self.state = state
        self.isReader = isReader
        self.isFlagged = isFlagged
        self.type = type
        self.hasMetric = hasMetric
        self.count = count
        self.due = due
        self.attested = attested
        self.expiration = expiration
        self.opening = opening
        self.lifetime = lifetime
    }
}
