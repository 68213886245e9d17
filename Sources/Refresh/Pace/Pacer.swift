import AppAttest

/// Decides when the next request of this worker to one data server may leave: at the times that it has taken from the
/// shared budget, with its part of the limit in flight, and not in a pause.
///
/// A pure state machine over a monotonic time that is handed in.
package struct Pacer: Sendable {
    /// The answer to a request for a token.
    package enum Grant: Hashable, Sendable {
        /// The request may leave, and is counted in flight until `finished()`.
        case granted
        /// Not before this time.
        case wait(until: Duration)
        /// As many in flight as allowed: ask again when one has finished.
        case full
        /// No times are left: ask again when more have been taken from the budget.
        case empty
    }

    private struct Slots: Hashable, Sendable {
        var next: Duration
        let spacing: Duration
        var count: Int

        /// A time may be used a little late; one a second and slower, until the next has come.
        var lateness: Duration { max(spacing, SharedBudget.lateness) }
    }

    /// New times are asked for when the ones at hand end so soon.
    private static let lead: Duration = .milliseconds(250)

    /// Whoever waits does not wake sooner.
    private static let shortestWait: Duration = .milliseconds(5)

    private let pace: Pace
    private var workers = 1
    private var slots: [Slots] = []
    private var pausedUntil: Duration
    private var lastCut: Duration?
    private var news: (sent: Duration, until: Duration)?
    private var isAsking = false

    /// Requests that have left and not finished.
    package private(set) var inFlight = 0

    /// Nothing is taken yet.
    package init(pace: Pace, now: Duration) {
        self.pace = pace
        self.pausedUntil = now
    }

    /// For how long nothing may leave yet.
    package func pause(now: Duration) -> Duration { max(.zero, pausedUntil - now) }

    /// Whether the budget is still to be told of a 429.
    package var hasNews: Bool { news != nil }

    /// So many workers share the limit in flight.
    package mutating func share(among workers: Int) {
        self.workers = max(1, workers)
    }

    /// How many requests may be in flight: this worker's part.
    package var limit: Int { max(1, pace.inFlight / workers) }

    /// Asks for one request.
    package mutating func take(now: Duration) -> Grant {
        guard inFlight < limit else { return .full }
        guard now >= pausedUntil else { return .wait(until: pausedUntil) }
        dropMissed(now: now)
        guard let first = slots.first else { return .empty }
        // Times may be used late: nobody need wake for each of thousands a second.
        guard now >= first.next else { return .wait(until: max(first.next, now + Self.shortestWait)) }
        slots[0].next += first.spacing
        slots[0].count -= 1
        if slots[0].count == 0 { slots.removeFirst() }
        inFlight += 1
        return .granted
    }

    /// A granted request has ended, in whatever way.
    package mutating func finished() {
        inFlight -= 1
    }

    /// What to ask of the budget for so many requests that want to leave; nil: nothing now. What is asked for is
    /// expected to be taken in.
    package mutating func ask(for wanted: Int, now: Duration) -> SliceRequest? {
        guard !isAsking else { return nil }
        if let news {
            isAsking = true
            self.news = nil
            return SliceRequest(
                pace: pace, wanted: 0, slowDown: SlowDown(age: now - news.sent, pause: max(.zero, news.until - now)))
        }
        dropMissed(now: now)
        let room = limit - inFlight
        let end = slots.last.map { $0.next + $0.spacing * $0.count } ?? now
        guard wanted > 0, room > 0, now >= pausedUntil, end - now < Self.lead else { return nil }
        isAsking = true
        return SliceRequest(pace: pace, wanted: wanted)
    }

    /// Takes in what the budget has granted to a request.
    package mutating func take(_ slice: PaceSlice, for request: SliceRequest, now: Duration) {
        isAsking = false
        if request.slowDown != nil {
            lastCut = now
            slots = []
        }
        // Times of the old rate, that were asked for before a 429 came.
        if news != nil, request.slowDown == nil { return }
        if slice.count > 0 {
            slots.append(Slots(next: now + slice.start, spacing: slice.spacing, count: slice.count))
        } else if slice.start > .zero {
            pausedUntil = max(pausedUntil, now + slice.start)
        }
    }

    /// 429 to a request that left at `sent`: nothing leaves before the pause is over, nor before the budget was told.
    ///
    /// Requests that left before the last cut tell the budget nothing but their pause.
    package mutating func slowDown(sent: Duration, now: Duration, pause: Duration) {
        let until = now + pause
        let isLonger = pause > .zero && until > pausedUntil
        guard lastCut.map({ sent >= $0 }) ?? true || isLonger else { return }
        pausedUntil = max(pausedUntil, until)
        slots = []
        news = (max(sent, news?.sent ?? sent), max(until, news?.until ?? until))
    }

    private mutating func dropMissed(now: Duration) {
        while let first = slots.first, first.next + first.lateness < now {
            let missed = Int(((now - first.lateness - first.next) / first.spacing).rounded(.up))
            if missed >= first.count {
                slots.removeFirst()
            } else {
                slots[0].next += first.spacing * missed
                slots[0].count -= missed
            }
        }
    }
}
