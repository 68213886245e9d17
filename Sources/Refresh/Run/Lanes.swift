import AppAttest

/// Which lanes may send. Each starts with one canary request, and opens when that ends in anything but a stop.
///
/// So a refused credential costs one call, and not as many as are allowed in flight.
struct Lanes: Hashable, Sendable {
    /// What a lane says to one more row.
    enum Admission: Hashable, Sendable {
        /// It may be sent.
        case send
        /// The canary is out: wait for it.
        case wait
        /// The lane has stopped.
        case hold
    }

    private enum State: Hashable, Sendable {
        case canaryOut
        case open
        case stopped
    }

    private var states: [Lane: State] = [:]
    /// The lanes that stopped, with the first cause of each.
    private(set) var stopped: [Lane: StopCause] = [:]

    /// What the lane says now.
    func admission(to lane: Lane) -> Admission {
        switch states[lane] {
        case nil, .open: .send
        case .canaryOut: .wait
        case .stopped: .hold
        }
    }

    /// A request has left through the lane.
    mutating func sent(through lane: Lane) {
        if states[lane] == nil { states[lane] = .canaryOut }
    }

    /// A request of the lane has ended with this decision. What was in flight when a lane stopped changes nothing.
    mutating func ended(_ decision: Decision, in lane: Lane) {
        if case .stop(let cause) = decision.lane {
            states[lane] = .stopped
            stopped[lane] = stopped[lane] ?? cause
        } else if states[lane] == .canaryOut {
            // A canary that the server did not begin on has told nothing: the next one is the canary.
            states[lane] = decision.disposition == .sendAgain ? nil : .open
        }
    }
}
