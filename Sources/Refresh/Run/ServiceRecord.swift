import AppAttest

/// What a run learns about the data servers themselves.
struct ServiceRecord: Hashable, Sendable {
    private var working: Set<Environment> = []
    private var slowedDown: Set<Environment> = []
    /// How many receipts each was asked for; one that is sent again is one all the same.
    private(set) var asked: [Environment: Int] = [:]
    /// The last failure's word.
    private(set) var lastFailure: [Environment: String] = [:]
    /// Data servers of which some answer verified.
    private(set) var verified: Set<Environment> = []
    /// 200s that were not believed, by the failed step's word.
    private(set) var doubted: [Environment: [String: Int]] = [:]
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
        if answer.candidate.refusal == nil { asked[environment, default: 0] += 1 }
        if case .tooManyRequests = answer.finding {
            slowedDown.insert(environment)
        } else if answer.finding.isServed {
            working.insert(environment)
        } else {
            lastFailure[environment] = answer.finding.failureWord
        }
        if case .verified = answer.finding { verified.insert(environment) }
        if case .doubtful(let fault) = answer.finding {
            doubted[environment, default: [:]][fault.word, default: 0] += 1
        }
        if let date = answer.reply.date {
            let skew = date - answer.time
            let largest = clockSkew[environment] ?? .zero
            clockSkew[environment] = skew.magnitude >= largest.magnitude ? skew : largest
        }
    }
}
