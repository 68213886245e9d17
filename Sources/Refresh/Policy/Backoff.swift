import AppAttest

/// A wait that doubles with every failure in a row, up to a longest one.
package struct Backoff: Hashable, Sendable {
    /// After the first failure.
    package let first: Duration
    /// Never longer than this.
    package let longest: Duration

    /// The wait after one more failure than `earlier` ones in a row.
    package func wait(after earlier: Int) -> Duration {
        var wait = first
        for _ in 0..<max(0, earlier) where wait < longest {
            wait *= 2
        }
        return min(wait, longest)
    }

    /// One hour doubling to a day: what the data server says on purpose changes slowly.
    package static let answered = Backoff(first: .hours(1), longest: .hours(24))
    /// One minute doubling to six hours: outages end.
    package static let outage = Backoff(first: .minutes(1), longest: .hours(6))
}
