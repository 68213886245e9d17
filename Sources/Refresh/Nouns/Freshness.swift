/// How the newest reading of a subject stands.
package enum Freshness: String, Hashable, Sendable, CaseIterable {
    /// Under 30 days old.
    case fresh
    /// Apple has nothing newer than about 30 days.
    case quiet
    /// Not quiet, and 30 days old or more.
    case stale
}
