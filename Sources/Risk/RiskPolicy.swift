/// Where a level begins and where it ends. Counts between the two change nothing, so that a device at the edge does not
/// open and close its flag with every reading.
package struct Threshold: Hashable, Sendable {
    /// The risk metric from which the level holds.
    package let raise: Int
    /// The risk metric at or below which it holds no more; less than `raise`.
    package let clear: Int

    /// Nothing is checked here; the configuration checks relations with both values at hand.
    package init(raise: Int, clear: Int) {
        self.raise = raise
        self.clear = clear
    }
}

/// The thresholds of one app in one environment.
package struct RiskPolicy: Hashable, Sendable {
    /// The lowest level.
    package let watch: Threshold
    /// The level that wants a person's eyes.
    package let review: Threshold
    /// The highest level.
    package let high: Threshold

    /// Puts the parts together; nothing is checked.
    package init(watch: Threshold, review: Threshold, high: Threshold) {
        self.watch = watch
        self.review = review
        self.high = high
    }

    /// Most devices have one to three, says Apple; where public code draws lines above that, these stand.
    package static let standard = RiskPolicy(
        watch: Threshold(raise: 4, clear: 2),
        review: Threshold(raise: 6, clear: 4),
        high: Threshold(raise: 20, clear: 13))

    /// The threshold of one level.
    package func threshold(of level: FlagLevel) -> Threshold {
        switch level {
        case .watch: watch
        case .review: review
        case .high: high
        }
    }
}
