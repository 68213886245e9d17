/// How a subject stands, by the readings of its keys.
package enum Freshness: String, Hashable, Sendable, CaseIterable {
    /// A key that is not quiet has a reading under 30 days.
    case fresh
    /// None has, and for the key of the reading shown the last answer was 404: no data.
    case quiet
    /// None has, and that key is not quiet.
    case stale
}
