import AppAttest

/// Spares a data server that is failing: when half of its last answers are failures, nothing leaves for a while, then
/// one request as a probe, again and again in doubling intervals; a probe that is served closes it.
///
/// As with the pace, only requests that left after the last change say anything about it: of hundreds in flight when it
/// opens, none opens it wider. A pure state machine over a monotonic time that is handed in.
package struct Breaker: Hashable, Sendable {
    /// What it says to one more request.
    package enum Admission: Hashable, Sendable {
        /// It may leave.
        case send
        /// Not before this time, and then as a probe.
        case wait(until: Duration)
        /// A probe is on its way that will tell.
        case probing
        /// Nothing more leaves in this run.
        case stopped
    }

    /// How many answers are looked at.
    package static let window = 50
    /// So many failures among them open it; in a shorter run, so many and half of all.
    package static let enough = 25
    /// So many probes are made, within about a minute; then it is for another run to ask.
    package static let longestProbing = 6
    /// How long nothing leaves, to begin with.
    private static let backoff = Backoff(first: .seconds(1), longest: .minutes(1))

    private enum Phase: Hashable, Sendable {
        case closed
        case open(until: Duration)
        case probing
        case stopped
    }

    private var phase = Phase.closed
    /// Requests that left before say nothing.
    private var changed: Duration
    private var failed: [Bool] = []
    private var probes = 0

    /// Closed.
    package init(now: Duration) {
        changed = now
    }

    /// Whether the data server is taken to be failing.
    package var isOpen: Bool { phase != .closed }

    /// Whether it has given up for this run.
    package var isStopped: Bool { phase == .stopped }

    /// What it says now.
    package func admission(now: Duration) -> Admission {
        switch phase {
        case .closed: .send
        case .open(let until): now < until ? .wait(until: until) : .send
        case .probing: .probing
        case .stopped: .stopped
        }
    }

    /// A request has left.
    package mutating func sent(now: Duration) {
        guard case .open = phase else { return }
        phase = .probing
        changed = now
    }

    /// A request that left at `sent` has ended.
    package mutating func ended(isFailure: Bool, sent: Duration, now: Duration) {
        guard sent >= changed else { return }
        switch phase {
        case .closed:
            failed.append(isFailure)
            if failed.count > Self.window { failed.removeFirst() }
            let count = failed.count { $0 }
            if count >= Self.enough, count * 2 >= failed.count { open(now: now) }
        case .probing:
            probes += 1
            if isFailure, probes >= Self.longestProbing {
                phase = .stopped
            } else if isFailure {
                open(now: now)
            } else {
                phase = .closed
                (changed, failed, probes) = (now, [], 0)
            }
        case .open, .stopped: break
        }
    }

    private mutating func open(now: Duration) {
        phase = .open(until: now + Self.backoff.wait(after: probes))
        changed = now
        failed = []
    }
}
