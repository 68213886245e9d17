import AppAttest

/// What a worker asks of the budget it shares.
package struct SliceRequest: Hashable, Sendable {
    /// The data server's settings.
    package let pace: Pace
    /// How many requests want to leave; none, if there is only something to tell.
    package let wanted: Int
    /// 429s since the last time, the latest of them.
    package let slowDown: SlowDown?

    /// Puts the parts together; nothing is checked.
    package init(pace: Pace, wanted: Int, slowDown: SlowDown? = nil) {
        self.pace = pace
        self.wanted = wanted
        self.slowDown = slowDown
    }
}

/// A 429 that the other workers must know of.
package struct SlowDown: Hashable, Sendable {
    /// How long ago the request left.
    package let age: Duration
    /// How long nothing is to leave from now on.
    package let pause: Duration

    /// Puts the parts together; nothing is checked.
    package init(age: Duration, pause: Duration) {
        self.age = age
        self.pause = pause
    }
}

/// Times at which one worker's requests may leave: `count` of them, evenly spaced.
package struct PaceSlice: Hashable, Sendable {
    /// From the grant to the first; with none, to when it is worth asking again.
    package let start: Duration
    /// From one to the next.
    package let spacing: Duration
    /// How many.
    package let count: Int

    /// Puts the parts together; nothing is checked.
    package init(start: Duration, spacing: Duration, count: Int) {
        self.start = start
        self.spacing = spacing
        self.count = count
    }

    /// The same, so long after the grant.
    package func begun(_ elapsed: Duration) -> PaceSlice {
        PaceSlice(start: start - elapsed, spacing: spacing, count: count)
    }
}
