import AppAttest

/// Receipts of one app and environment that back ends have handed over, and that no run has looked at yet.
package struct WaitingIntake: Hashable, Sendable {
    /// Whose they are said to be.
    package let app: AppID
    /// The environment they are said to be of; nil: as each receipt says.
    package let environment: Environment?
    /// Whether this worker's configuration has both.
    package let isConfigured: Bool
    /// How many there are.
    package let count: Int
    /// How many of them have waited for longer than `AlertJudgement.submissionLateAfter`.
    package let late: Int
    /// When the first of them was handed over.
    package let oldest: Instant

    /// Puts the parts together; nothing is checked.
    package init(
        app: AppID, environment: Environment?, isConfigured: Bool, count: Int, late: Int, oldest: Instant
    ) {
        self.app = app
        self.environment = environment
        self.isConfigured = isConfigured
        self.count = count
        self.late = late
        self.oldest = oldest
    }

    /// `TEAMID1234.com.example.app`, with the environment where one is said.
    package var name: String { environment.map { "\(app) (\($0))" } ?? app.text }
}
