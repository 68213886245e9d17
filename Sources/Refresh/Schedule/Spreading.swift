import AppAttest

/// Even draws over time: keys that were taken in together do not come due together.
enum Spreading {
    /// An instant drawn evenly from `lower` to `upper`, both possible; `lower` where the two are in the wrong order.
    static func instant(
        from lower: Instant, to upper: Instant, using random: inout some RandomNumberGenerator
    ) -> Instant {
        guard lower < upper else { return lower }
        return Instant(microseconds: Int64.random(in: lower.microseconds...upper.microseconds, using: &random))
    }

    /// A duration drawn evenly from `shortest` to `longest`, both possible, in whole microseconds.
    static func duration(
        from shortest: Duration, to longest: Duration, using random: inout some RandomNumberGenerator
    ) -> Duration {
        guard shortest < longest else { return shortest }
        return .microseconds(
            Int64.random(in: shortest.wholeMicroseconds...longest.wholeMicroseconds, using: &random))
    }
}
