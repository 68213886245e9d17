import AppAttest

/// What a run is to do, and how hard.
package struct RefreshOptions: Hashable, Sendable {
    /// At most so many rows are claimed; nil: all that are due.
    package var limit: Int?
    /// Nothing is claimed or sent once the run has lasted so long; nil: no end.
    package var maxDuration: Duration?
    /// How long a database that is away is waited for, within the run's longest duration.
    package var patience: Duration = .seconds(60)
    /// Only count what is due.
    package var dryRun = false
    /// Only the rows of this app.
    package var app: AppID?
    /// Rows a claim, and outcomes a store transaction at most.
    package var batchSize = 250
    /// An outcome waits at most so long for its batch to fill.
    package var linger: Duration = .milliseconds(250)
    /// How long a lease on shards lasts.
    package var lease: LeaseTerms = .standard
    /// After a request to stop, what is on its way is waited for so long.
    package var grace: Duration = .seconds(30)
    /// The pace of each data server; one that is not named goes at the standard pace.
    package var paces: [Environment: Pace] = [:]
    /// The team of each configured app. Rows of other apps are held: there is no credential for them.
    package var teams: [AppID: TeamID]
    /// The IDs of each app's signing keys, in the order in which they are tried.
    package var keyIDs: [AppID: [String]] = [:]
    /// The cadence of each app; one that is not named has the standard one.
    package var cadences: [AppID: Cadence] = [:]

    /// A run over all due rows of the apps in `teams`.
    package init(teams: [AppID: TeamID]) {
        self.teams = teams
    }

    /// The lane of an app's receipts at a data server; nil where the app is not configured.
    func lane(of app: AppID, to environment: Environment) -> Lane? {
        teams[app].map { Lane(environment: environment, team: $0, keyIDs: keyIDs[app] ?? []) }
    }

    /// Claimed rows that wait for one data server are never more than this, however large the backlog.
    package var claimAhead: Int {
        2 * Rank.allCases.reduce(0) { $0 + max(batchSize * $1.share / 100, min(batchSize, Self.leastPortion)) }
    }

    /// So many rows of a rank are worth a read of their own, small as its share may be.
    static let leastPortion = 25

    /// Sending waits while so many outcomes wait to be stored.
    package var unsavedLimit: Int { 2 * batchSize }
}
