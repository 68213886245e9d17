/// Claimed rows of one data server: a queue a rank, from which rows go by the ranks' shares. A rank in which nothing
/// waits passes its share on, so no rank starves and none holds up another.
struct RankedQueue: Sendable {
    private var queues: [Rank: SendQueue] = [:]
    /// How much of its share each rank has not had.
    private var credits: [Rank: Int] = [:]
    /// How many rows it holds of each lane.
    private var counts: [Lane: Int] = [:]
    /// From where the next row is to come, whatever the shares.
    private var preferred: Rank?

    /// How many rows it holds, parked ones among them.
    var count: Int { queues.values.reduce(0) { $0 + $1.count } }

    /// How many rows of a rank it holds, parked ones among them.
    func count(of rank: Rank) -> Int { queues[rank]?.count ?? 0 }

    /// How many rows of a lane it holds, parked ones among them.
    func count(of lane: Lane) -> Int { counts[lane] ?? 0 }

    /// How many may be sent: all but the parked ones.
    var ready: Int { queues.values.reduce(0) { $0 + $1.ready } }

    /// The next row that is not parked.
    var next: Candidate? { nextRank.flatMap { queues[$0]?.next } }

    /// Brings a row of the lane to the front that is to speak for it: one of the telling ones, if there is one that is
    /// not parked, else, if it may be any, one drawn by lot from the rank whose turn it is.
    mutating func preferProbe(
        of lane: Lane, where isTelling: (DueReceipt) -> Bool, orAny: Bool,
        using random: inout some RandomNumberGenerator
    ) {
        for rank in Rank.allCases where queues[rank]?.prefer(of: lane, where: isTelling) == true {
            preferred = rank
            return
        }
        if orAny, let rank = nextRank { queues[rank]?.preferAny(of: lane, using: &random) }
    }

    /// Puts a row behind all others of its rank.
    mutating func append(_ candidate: Candidate) {
        queues[candidate.due.schedule.rank, default: SendQueue()].append(candidate)
        count(candidate, 1)
    }

    /// Puts a row before all others, whatever the shares.
    mutating func prepend(_ candidate: Candidate) {
        preferred = candidate.due.schedule.rank
        queues[candidate.due.schedule.rank, default: SendQueue()].prepend(candidate)
        count(candidate, 1)
    }

    /// Takes out the next row that is not parked.
    mutating func popFirst() -> Candidate? {
        guard let rank = nextRank else { return nil }
        preferred = nil
        var total = 0
        for waiting in waitingRanks {
            credits[waiting, default: 0] += waiting.share
            total += waiting.share
        }
        credits[rank, default: 0] -= total
        guard let candidate = queues[rank]?.popFirst() else { return nil }
        count(candidate, -1)
        return candidate
    }

    /// Sets the next row aside until its lane is decided.
    mutating func parkFirst(for lane: Lane) {
        guard let rank = nextRank else { return }
        preferred = nil
        queues[rank]?.parkFirst(for: lane)
    }

    /// Brings the parked rows of a lane back, before all others of their ranks, in their order.
    mutating func unpark(_ lane: Lane) {
        for rank in Rank.allCases { queues[rank]?.unpark(lane) }
    }

    /// Empties the queue and returns what it held.
    mutating func removeAll() -> [Candidate] {
        counts = [:]
        return Rank.allCases.flatMap { queues[$0]?.removeAll() ?? [] }
    }

    /// Takes the rows of these shards out of the queue and returns them.
    mutating func remove(of shards: Set<Int>) -> [Candidate] {
        let removed = Rank.allCases.flatMap { queues[$0]?.remove(of: shards) ?? [] }
        for candidate in removed { count(candidate, -1) }
        return removed
    }

    private mutating func count(_ candidate: Candidate, _ change: Int) {
        if let lane = candidate.lane { counts[lane, default: 0] += change }
    }

    private var waitingRanks: [Rank] { Rank.allCases.filter { queues[$0]?.isEmpty == false } }

    /// The rank that has had least of its share; of equals the first.
    private var nextRank: Rank? {
        if let preferred, queues[preferred]?.isEmpty == false { return preferred }
        var best: (rank: Rank, credit: Int)?
        for rank in waitingRanks {
            let credit = credits[rank, default: 0] + rank.share
            if best.map({ credit > $0.credit }) ?? true { best = (rank, credit) }
        }
        return best?.rank
    }
}
