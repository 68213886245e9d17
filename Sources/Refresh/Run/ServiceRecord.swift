import AppAttest

/// What a run learns about the data servers themselves.
struct ServiceRecord: Hashable, Sendable {
    private var working: Set<Environment> = []
    private var slowedDown: Set<Environment> = []
    private var lastFailure: [Environment: String] = [:]
    /// The largest difference between a reply's `Date` and our clock, positive where theirs is ahead.
    private(set) var clockSkew: [Environment: Duration] = [:]

    /// Data servers that were asked and never served, with the last failure's word.
    var unavailable: [Environment: String] {
        lastFailure.filter { !served.contains($0.key) }
    }

    /// Data servers that served at least once, be it with 429.
    var served: Set<Environment> { working.union(slowedDown) }

    /// Data servers that said 429 and nothing better.
    var throttled: Set<Environment> { slowedDown.subtracting(working) }

    /// Takes in what an answer says of its data server.
    mutating func note(_ answer: Answer) {
        let environment = answer.lane.environment
        if case .tooManyRequests = answer.finding {
            slowedDown.insert(environment)
        } else if answer.finding.isServed {
            working.insert(environment)
        } else {
            lastFailure[environment] = answer.finding.failureWord
        }
        if let date = answer.reply.date {
            let skew = date - answer.time
            let largest = clockSkew[environment] ?? .zero
            clockSkew[environment] = magnitude(skew) >= magnitude(largest) ? skew : largest
        }
    }

    private func magnitude(_ duration: Duration) -> Duration {
        max(duration, .zero - duration)
    }
}
