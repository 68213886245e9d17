/// Claimed rows of one rank for one data server, in claim order, with those apart that wait for their lane's canary.
struct SendQueue: Sendable {
    private var rows: [Candidate] = []
    private var head = 0
    private var parked: [Lane: [Candidate]] = [:]

    /// How many rows it holds, parked ones among them.
    private(set) var count = 0

    /// How many are not parked.
    var ready: Int { rows.count - head }

    /// Whether all its rows are parked.
    var isEmpty: Bool { head == rows.count }

    /// The next row that is not parked.
    var next: Candidate? { isEmpty ? nil : rows[head] }

    /// Brings a row of the lane to the front that is one of these, if there is one that is not parked: what it comes
    /// back with speaks for the lane, or against it. Gives whether there is one.
    mutating func prefer(of lane: Lane, where isTelling: (DueReceipt) -> Bool) -> Bool {
        guard !isEmpty, let place = rows[head...].firstIndex(where: { $0.lane == lane && isTelling($0.due) }) else {
            return false
        }
        rows.swapAt(head, place)
        return true
    }

    /// Brings a row of the lane to the front, drawn by lot, so that bad ones that stand first do not speak for all.
    mutating func preferAny(of lane: Lane, using random: inout some RandomNumberGenerator) {
        guard !isEmpty else { return }
        let start = Int.random(in: head..<rows.count, using: &random)
        let isOfLane = { (candidate: Candidate) in candidate.lane == lane }
        guard let place = rows[start...].firstIndex(where: isOfLane) ?? rows[head..<start].firstIndex(where: isOfLane)
        else { return }
        rows.swapAt(head, place)
    }

    /// Puts a row behind all others.
    mutating func append(_ candidate: Candidate) {
        rows.append(candidate)
        count += 1
    }

    /// Puts a row before all others.
    mutating func prepend(_ candidate: Candidate) {
        replaceRows([candidate] + rows[head...])
        count += 1
    }

    /// Takes out the next row that is not parked.
    mutating func popFirst() -> Candidate? {
        guard !isEmpty else { return nil }
        let candidate = rows[head]
        head += 1
        count -= 1
        if head >= 256 || isEmpty { replaceRows(Array(rows[head...])) }
        return candidate
    }

    /// Sets the first row aside until its lane is decided.
    mutating func parkFirst(for lane: Lane) {
        guard let candidate = popFirst() else { return }
        parked[lane, default: []].append(candidate)
        count += 1
    }

    /// Brings the parked rows of a lane back, before all others, in their order.
    mutating func unpark(_ lane: Lane) {
        guard let candidates = parked.removeValue(forKey: lane) else { return }
        replaceRows(candidates + rows[head...])
    }

    /// Empties the queue and returns what it held.
    mutating func removeAll() -> [Candidate] {
        let all = Array(rows[head...]) + parked.values.joined()
        self = SendQueue()
        return all
    }

    /// Takes the rows of these shards out of the queue and returns them.
    mutating func remove(of shards: Set<Int>) -> [Candidate] {
        let isOut = { (candidate: Candidate) in shards.contains(candidate.due.schedule.shard) }
        let removed = rows[head...].filter(isOut) + parked.values.joined().filter(isOut)
        replaceRows(rows[head...].filter { !isOut($0) })
        parked = parked.mapValues { $0.filter { !isOut($0) } }.filter { !$0.value.isEmpty }
        count -= removed.count
        return removed
    }

    private mutating func replaceRows(_ new: [Candidate]) {
        rows = new
        head = 0
    }
}
