import AppAttest
import Refresh

extension Retention {
    /// The keys of `retention`.
    static let keys = ["readings", "runs", "rejects", "alerts"]

    // What flags and levels are judged by is 30 days old at most; twice that is kept whatever is asked for, and a back
    // end may come late for why a receipt was refused.
    private static let pastBounds: ClosedRange<Duration> = .days(60) ... .days(36_500)
    private static let rejectBounds: ClosedRange<Duration> = .days(1) ... .days(36_500)

    /// Reads `retention`; what is not given keeps its default.
    init(_ setting: Setting) throws(ConfigurationError) {
        let object = try setting.object(keys: Self.keys)
        func read(
            _ key: String, _ fallback: Duration, _ bounds: ClosedRange<Duration>
        ) throws(ConfigurationError) -> Duration {
            try object.value(key, default: fallback) { member throws(ConfigurationError) in
                try member.duration(in: bounds)
            }
        }
        let standard = Retention.standard
        self.init(
            readings: try read("readings", standard.readings, Self.pastBounds),
            runs: try read("runs", standard.runs, Self.pastBounds),
            rejects: try read("rejects", standard.rejects, Self.rejectBounds),
            alerts: try read("alerts", standard.alerts, Self.pastBounds))
    }
}
