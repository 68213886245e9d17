import AppAttest

/// How long a lease lasts, and what follows from that.
package struct LeaseTerms: Hashable, Sendable {
    /// Elapsed time from a renewal to the lease's end. A setting.
    package let length: Duration

    /// Terms of leases of this length.
    package init(length: Duration) {
        self.length = length
    }

    /// A minute.
    package static let standard = LeaseTerms(length: .seconds(60))

    /// Nothing is sent in the last third of a lease, so that an answer may still be on its way when it is renewed.
    package var unusedEnd: Duration { length / 3 }
    /// How often the shards are looked at: often enough to renew in good time, and to let a worker that has just come
    /// have its part soon.
    package var lookInterval: Duration { min(length / 4, .seconds(2)) }
    /// A lease that has this much left is not written again.
    package var freshEnough: Duration { length * 3 / 4 }
}
