import AppAttest
import Postgres
import Refresh

/// One look of a worker at the shards, in a transaction of its own: it shows that it lives, gives back, renews, and
/// takes what is free up to its part.
struct LeaseRound: Sendable {
    /// Who looks.
    let worker: WorkerID
    /// What it gives back.
    let givingBack: Set<Int>
    /// How long leases last.
    let terms: LeaseTerms
    /// Rows due by then make another's shard worth telling of.
    let now: Instant
    /// Of this app only.
    let app: AppID?

    /// Does it in the transaction that is open.
    func hold(on connection: borrowing Connection) throws(PostgresError) -> ShardHoldings {
        let length = terms.length
        try connection.planForBatch()
        try connection.run(.signOfLife, [.text(worker.text), .int(length.wholeMicroseconds)])
        try connection.run(.buryWorkers)
        let locked = try LockedShards(Array(0..<Subject.shardCount), on: connection)
        let workers = try connection.one(.countWorkers) { rows throws(PostgresError) -> Int in try rows.read() }
        let share = (Subject.shardCount + workers - 1) / max(1, workers)

        let mine = locked.shards.filter { $0.owner == worker.text }
        let givenBack = mine.filter { givingBack.contains($0.number) }
        if !givenBack.isEmpty { try connection.run(.clearLeases, [.ints(givenBack.map(\.number))]) }
        let kept = mine.filter { !givingBack.contains($0.number) }
        let stale = kept.filter { $0.remaining.map { $0 < terms.freshEnough } ?? true }
        try LockedShards.write(stale.map(\.number), worker, terms, changesHands: false, on: connection)
        let free = locked.shards.filter { $0.owner == nil }.prefix(max(0, share - kept.count))
        try LockedShards.write(free.map(\.number), worker, terms, changesHands: true, on: connection)

        let renewed = Set(stale.map(\.number))
        let held =
            kept.map { shard in
                ShardHoldings.Held(
                    shard: shard.number, counter: shard.counter,
                    remaining: renewed.contains(shard.number) ? length : shard.remaining ?? .zero)
            } + free.map { ShardHoldings.Held(shard: $0.number, counter: $0.counter + 1, remaining: length) }
        let foreign = locked.shards.filter { $0.owner != nil && $0.owner != worker.text }
        // A shard that nobody holds and that is beyond this worker's part counts too: of a dead worker the leases end
        // before it is counted out.
        let heldNow = Set(held.map(\.shard))
        let lacking = locked.shards.map(\.number).filter { !heldNow.contains($0) }
        let surplus = Dictionary(grouping: foreign, by: \.owner).values.reduce(0) { $0 + max(0, $1.count - share) }
        return ShardHoldings(
            held: held, others: try others(lacking, on: connection), share: share, workers: workers,
            surplus: surplus)
    }

    private func others(
        _ shards: [Int], on connection: borrowing Connection
    ) throws(PostgresError) -> [ShardHoldings.Other] {
        guard !shards.isEmpty else { return [] }
        return try connection.all(
            .dueShards, [.ints(shards), .time(now), .text(app?.text)]
        ) { rows throws(PostgresError) in
            ShardHoldings.Other(shard: try rows.read(), counter: try rows.read(), sign: try rows.instant())
        }
    }

    /// Gives back everything that a worker holds, in the transaction that is open.
    static func release(_ worker: WorkerID, on connection: borrowing Connection) throws(PostgresError) {
        // First, as a round begins with its own worker too: another may be about to bury this one.
        try connection.run(.removeWorker, [.text(worker.text)])
        let locked = try LockedShards(Array(0..<Subject.shardCount), on: connection)
        let mine = locked.shards.filter { $0.owner == worker.text }.map(\.number)
        if !mine.isEmpty { try connection.run(.clearLeases, [.ints(mine)]) }
    }
}
