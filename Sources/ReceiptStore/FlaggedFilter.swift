import AppAttest
import Risk

/// Which flagged subjects are asked for.
package struct FlaggedFilter: Hashable, Sendable {
    /// Only this app; nil: all.
    package var app: AppID?
    /// Only this environment; nil: both.
    package var environment: Environment?
    /// Only flags at this level or above.
    package var minimumLevel: FlagLevel

    /// Everything, unless narrowed.
    package init(app: AppID? = nil, environment: Environment? = nil, minimumLevel: FlagLevel = .watch) {
        self.app = app
        self.environment = environment
        self.minimumLevel = minimumLevel
    }
}
