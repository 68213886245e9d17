import AppAttest

/// When a receipt is due, and in which queue.
package struct Plan: Hashable, Sendable {
    /// From when it may be claimed.
    package let dueTime: Instant
    /// The queue in which it then stands.
    package let rank: Rank
}
