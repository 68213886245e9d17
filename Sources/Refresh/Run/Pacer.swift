import AppAttest

/// Decides when the next request to one data server may leave: a token bucket, a limit in flight, and a pause.
///
/// A pure state machine over a monotonic time that is handed in. In any second it grants at most the rate plus the
/// burst, a tenth of the rate.
package struct Pacer: Hashable, Sendable {
    /// The answer to a request for a token.
    package enum Grant: Hashable, Sendable {
        /// The request may leave, and is counted in flight until `finished()`.
        case granted
        /// Not before this time.
        case wait(until: Duration)
        /// As many in flight as allowed: ask again when one has finished.
        case full
    }

    /// How long the rate takes to climb back from nothing to its setting.
    private static let climb: Duration = .minutes(10)
    /// However often it was halved, the rate stays at one a second.
    private static let floor = 1.0

    private let pace: Pace
    private var rate: Double
    private var tokens: Double
    private var refilled: Duration
    private var pausedUntil: Duration
    private var lastCut: Duration?

    /// Requests that have left and not finished.
    package private(set) var inFlight = 0

    /// A full bucket at `now`.
    package init(pace: Pace, now: Duration) {
        self.pace = pace
        self.rate = pace.requestsPerSecond
        self.tokens = max(1, pace.requestsPerSecond / 10)
        self.refilled = now
        self.pausedUntil = now
    }

    /// Requests a second at present.
    package var requestsPerSecond: Double { rate }

    /// Asks for one request.
    package mutating func take(now: Duration) -> Grant {
        guard inFlight < pace.inFlight else { return .full }
        guard now >= pausedUntil else { return .wait(until: pausedUntil) }
        refill(now: now)
        guard tokens >= 1 else {
            // Rounded up, so that the wait is never for nothing.
            let microseconds = ((1 - tokens) / rate * 1_000_000).rounded(.up) + 1
            return .wait(until: now + .microseconds(Int64(microseconds)))
        }
        tokens -= 1
        inFlight += 1
        return .granted
    }

    /// A granted request has ended, in whatever way.
    package mutating func finished() {
        inFlight -= 1
    }

    /// 429 to a request that left at `sent`: the rate is halved and nothing leaves before the pause is over.
    ///
    /// Requests that left before the last cut do not cut again: they say nothing about the new rate. Their pause
    /// counts.
    package mutating func slowDown(sent: Duration, now: Duration, pause: Duration) {
        pausedUntil = max(pausedUntil, now + pause)
        if let lastCut, sent < lastCut { return }
        refill(now: now)
        rate = max(min(Self.floor, pace.requestsPerSecond), rate / 2)
        tokens = min(tokens, 1)
        lastCut = now
    }

    /// Adds the tokens of the time gone by since the last time, and lets the rate climb with it.
    private mutating func refill(now: Duration) {
        let start = max(refilled, min(pausedUntil, now))
        guard now > start else { return }
        let seconds = (now - start) / .seconds(1)
        tokens = min(max(1, rate / 10), tokens + rate * seconds)
        rate = min(pace.requestsPerSecond, rate + pace.requestsPerSecond * seconds / (Self.climb / .seconds(1)))
        refilled = now
    }
}
