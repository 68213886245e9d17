import AppAttest

/// What all workers of one data server share: how many requests may leave a second, and up to when the times at which
/// they may are handed out.
///
/// Each worker takes times ahead, half a second's at once. No time is handed out twice and they stand as close as the
/// rate allows, so whoever takes them, in any second as many requests leave as the rate and the burst are together.
///
/// A pure state machine over the time of the store, which all workers share too.
package struct SharedBudget: Hashable, Sendable {
    /// For so long a worker takes times ahead.
    package static let sliceLength: Duration = .milliseconds(500)
    /// A time may be used so long after it has come: the burst is what falls into that.
    package static let lateness: Duration = .milliseconds(200)
    /// How long the rate takes to climb back from nothing to its setting.
    package static let climb: Duration = .minutes(10)
    /// However often it was halved, the rate stays at one a second.
    package static let floor = 1.0
    /// Times that were handed out before a cut are used up so long after it: a 429 until then says nothing of the new
    /// rate.
    package static let settling: Duration = .seconds(1)
    // More than this is never handed out ahead; a store whose clock was set back would stand still otherwise.
    private static let longestLead: Duration = .minutes(2)

    /// Requests a second at `ratedTime`.
    package private(set) var rate: Double
    /// When the rate was that.
    package private(set) var ratedTime: Instant
    /// Up to here, times are handed out.
    package private(set) var grantedUntil: Instant?
    /// When the rate was cut last.
    package private(set) var cutTime: Instant?
    /// Nothing leaves before.
    package private(set) var pausedUntil: Instant?

    /// The budget as it was stored.
    package init(rate: Double, ratedTime: Instant, grantedUntil: Instant?, cutTime: Instant?, pausedUntil: Instant?) {
        self.rate = rate
        self.ratedTime = ratedTime
        self.grantedUntil = grantedUntil
        self.cutTime = cutTime
        self.pausedUntil = pausedUntil
    }

    /// The budget of a data server that was never asked.
    package init(pace: Pace, now: Instant) {
        self.init(
            rate: pace.requestsPerSecond, ratedTime: now, grantedUntil: nil, cutTime: nil, pausedUntil: nil)
    }

    /// Takes in what a worker has met with, and hands out the next times.
    package mutating func grant(_ request: SliceRequest, now: Instant) -> PaceSlice {
        let setting = request.pace.requestsPerSecond
        // A pause shows nothing of what the data server bears.
        let since = max(ratedTime, min(pausedUntil ?? ratedTime, now))
        let elapsed = max(.zero, now - since) / Self.climb
        rate = min(setting, rate + setting * elapsed)
        ratedTime = now
        if let slowDown = request.slowDown { take(slowDown, setting: setting, now: now) }
        let spacing = Duration.nanoseconds(Int64((1_000_000_000 / rate).rounded(.up)))
        // Longer than was ever asked for: the store's clock was set back.
        if let end = pausedUntil, end - now > ReplyPolicy.longestPause { pausedUntil = nil }
        let pause = pausedUntil.map { $0 - now } ?? .zero
        guard pause <= .zero else { return PaceSlice(start: pause, spacing: spacing, count: 0) }
        guard request.wanted > 0 else { return PaceSlice(start: .zero, spacing: spacing, count: 0) }
        let granted = grantedUntil.flatMap { $0 - now > Self.longestLead ? nil : $0 }
        let start = max(now, granted ?? now)
        let count = min(request.wanted, max(1, Int(rate * (Self.sliceLength / .seconds(1)))))
        grantedUntil = start + .microseconds((spacing * count / .microseconds(1)).roundedUp)
        return PaceSlice(start: start - now, spacing: spacing, count: count)
    }

    private mutating func take(_ slowDown: SlowDown, setting: Double, now: Instant) {
        pausedUntil = max(pausedUntil ?? now, now + min(slowDown.pause, ReplyPolicy.longestPause))
        if let cutTime, now - slowDown.age <= cutTime + Self.settling, cutTime <= now { return }
        rate = max(min(Self.floor, setting), rate / 2)
        cutTime = now
    }
}

extension Double {
    /// The next whole number.
    fileprivate var roundedUp: Int64 { Int64(rounded(.up)) }
}
