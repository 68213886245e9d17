/// How a subject stands, by the readings of its keys.
package enum Freshness: String, Hashable, Sendable, CaseIterable {
    /// A key that is not quiet has a reading under 30 days.
    case fresh
    /// None has, and for the key of the reading shown Apple has nothing newer than about 30 days.
    case quiet
    /// None has, and that key is not quiet.
    case stale
}
