import AppAttest

/// The shards of a run: which it holds and until when, which it is about to give back, and which may still come to it.
///
/// A pure state machine over a monotonic time that is handed in.
package struct Shards: Hashable, Sendable {
    /// What has changed for the rows of shards.
    package struct Change: Hashable, Sendable {
        /// To be read from the beginning.
        package var gained: Set<Int> = []
        /// No more rows of these are to be sent: the lease is gone, or is to be given back once nothing of it is
        /// under way.
        package var lost: Set<Int> = []

        /// No change but what is named.
        package init(gained: Set<Int> = [], lost: Set<Int> = []) {
            self.gained = gained
            self.lost = lost
        }
    }

    private struct Lease: Hashable, Sendable {
        var counter: Int64
        /// In elapsed time, counted from before the renewal was asked for: never later than the store's own.
        var end: Duration
    }

    private let terms: LeaseTerms
    private var leases: [Int: Lease] = [:]
    private var others: [Int: ShardHoldings.Other] = [:]
    /// Those of the others' shards whose worker was seen to live.
    private var alive: Set<Int> = []
    /// Whether shards are missing to this worker's part that others hold beyond theirs.
    private var awaitsPart = false
    /// Shards to be given back, being more than this worker's part.
    package private(set) var leaving: Set<Int> = []
    /// How many rows of each shard are claimed and not stored.
    private var underWay = [Int](repeating: 0, count: Subject.shardCount)
    /// When the shards are to be looked at next.
    package private(set) var nextLook: Duration
    /// When the last look was begun; nil before the first.
    package private(set) var lastLook: Duration?

    /// Nothing is held yet; the first look is due at once.
    package init(terms: LeaseTerms, now: Duration) {
        self.terms = terms
        self.nextLook = now
    }

    /// The shards whose due rows are this run's to claim, in their order.
    package var claimable: [Int] { leases.keys.filter { !leaving.contains($0) }.sorted() }

    /// Shards to be given back of which nothing is under way any more.
    package var drained: Set<Int> { leaving.filter { underWay[$0] == 0 } }

    /// Whether rows may still come to a run that has been idle since `idle`: of shards that others will give back, or
    /// whose worker may be dead, as far as was seen since then.
    package func mayGain(idle: Duration) -> Bool {
        guard let lastLook else { return true }
        return !others.isEmpty && (lastLook < idle || awaitsPart || !alive.isSuperset(of: others.keys))
    }

    /// The counter of a shard that rows may be claimed of; nil where this run does not hold it, or gives it back.
    package func counter(of shard: Int) -> Int64? {
        leaving.contains(shard) ? nil : leases[shard]?.counter
    }

    /// Whether a row that was claimed under this counter may be sent: not in the last third of its lease.
    package func maySend(_ shard: Int, _ counter: Int64, now: Duration) -> Bool {
        guard let lease = leases[shard], lease.counter == counter else { return false }
        return now < lease.end - terms.unusedEnd
    }

    /// A row of the shard has been claimed.
    package mutating func began(_ shard: Int) { underWay[shard] += 1 }

    /// A claimed row has been stored, or dropped.
    package mutating func ended(_ shard: Int) { underWay[shard] -= 1 }

    /// The run has become idle: whoever was seen to live before may have died since.
    package mutating func forgetSigns() { alive = [] }

    /// The shards are to be looked at as soon as possible: something has shown that they are not as thought.
    package mutating func lookSoon(now: Duration) { nextLook = min(nextLook, now) }

    /// Takes in a look that was begun at `asked`.
    package mutating func take(_ holdings: ShardHoldings, asked: Duration, now: Duration) -> Change {
        var change = Change()
        let held = holdings.held.map { ($0.shard, Lease(counter: $0.counter, end: asked + $0.remaining)) }
        let found = Dictionary(uniqueKeysWithValues: held)
        for (shard, lease) in leases where found[shard]?.counter != lease.counter {
            change.lost.insert(shard)
            leaving.remove(shard)
        }
        change.gained = Set(found.filter { leases[$0.key]?.counter != $0.value.counter }.keys)
        leases = found
        share(holdings.share, &change)
        watch(holdings.others)
        awaitsPart = holdings.surplus > 0 && holdings.held.count < holdings.share
        nextLook = now + terms.lookInterval
        lastLook = asked
        return change
    }

    /// Marks what is more than the worker's part, those with the least under way first; takes marks off again when
    /// the part has grown.
    private mutating func share(_ share: Int, _ change: inout Change) {
        let excess = max(0, leases.count - share)
        while leaving.count > excess, let shard = leaving.min() {
            leaving.remove(shard)
            change.gained.insert(shard)
        }
        let staying = leases.keys.filter { !leaving.contains($0) }
        let order = staying.sorted { (underWay[$0], $1) < (underWay[$1], $0) }
        for shard in order.prefix(excess - leaving.count) {
            leaving.insert(shard)
            change.gained.remove(shard)
            change.lost.insert(shard)
        }
    }

    private mutating func watch(_ found: [ShardHoldings.Other]) {
        let now = Dictionary(uniqueKeysWithValues: found.map { ($0.shard, $0) })
        alive.formIntersection(now.keys)
        for (shard, other) in now {
            guard let before = others[shard] else { continue }
            if before.counter != other.counter || before.sign < other.sign { alive.insert(shard) }
        }
        others = now
    }
}
