import AppAttest

/// One app in one environment: what thresholds belong to.
package struct AppEnvironment: Hashable, Sendable {
    /// The app.
    package let appID: AppID
    /// Where its keys are attested.
    package let environment: Environment

    /// Pairs the two.
    package init(appID: AppID, environment: Environment) {
        self.appID = appID
        self.environment = environment
    }
}
