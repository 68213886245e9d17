import AppAttest
import Risk

/// The row of `attestwatch.key_level`.
package struct KeyLevel: Hashable, Sendable {
    /// `unknown`, `clear`, `watch`, `review`, `high`, `quiet`, `stale` or `not_on_record`.
    package let level: String
    /// What was read within 30 days, the largest where several keys were; failing that, the last reading.
    package let riskMetric: Int?
    /// The creation time of the receipt that said it.
    package let metricTime: Instant?
    /// The subject's open flag.
    package let flagLevel: FlagLevel?

    /// Puts the parts together.
    package init(level: String, riskMetric: Int?, metricTime: Instant?, flagLevel: FlagLevel?) {
        self.level = level
        self.riskMetric = riskMetric
        self.metricTime = metricTime
        self.flagLevel = flagLevel
    }
}
