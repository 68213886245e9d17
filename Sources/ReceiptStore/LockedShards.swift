import AppAttest
import Postgres
import Refresh

/// Shards whose rows the open transaction has locked, in their order: who holds each stays as it is until it ends.
struct LockedShards {
    /// One shard as it was found.
    struct Shard {
        /// 0..63
        let number: Int
        /// `WorkerID.text`; nil where nobody's lease is running.
        let owner: String?
        /// Which lease of the shard.
        let counter: Int64
        /// Of a running lease.
        let remaining: Duration?
    }

    /// In the order of their numbers.
    let shards: [Shard]

    /// Locks shards: the first lock of a transaction that assesses, and of one that moves leases.
    init(_ numbers: [Int], on connection: borrowing Connection) throws(PostgresError) {
        shards = try connection.all(
            .lockShards, [.ints(Array(Set(numbers)).sorted())]
        ) { rows throws(PostgresError) in
            let number: Int = try rows.read()
            let owner: String? = try rows.readOptional()
            let counter: Int64 = try rows.read()
            let remaining: Int64? = try rows.readOptional()
            return Shard(
                number: number, owner: owner, counter: counter,
                remaining: owner == nil ? nil : remaining.map { .microseconds($0) })
        }
    }

    /// Whether this token still speaks for a shard.
    func isHeld(_ shard: Int, by token: LeaseToken?) -> Bool {
        guard let token else { return false }
        return shards.contains { $0.number == shard && $0.owner == token.worker.text && $0.counter == token.counter }
    }

    /// Lets the leases that these tokens speak for run their full length again, where much of it is gone.
    func renew(
        _ tokens: Set<LeaseToken>, terms: LeaseTerms, on connection: borrowing Connection
    ) throws(PostgresError) {
        for worker in Set(tokens.map(\.worker)) {
            let due = shards.filter { shard in
                shard.owner == worker.text && shard.remaining.map { $0 < terms.freshEnough } ?? false
                    && tokens.contains(LeaseToken(worker: worker, counter: shard.counter))
            }
            try LockedShards.write(due.map(\.number), worker, terms, changesHands: false, on: connection)
        }
    }

    /// Writes leases of their full length.
    static func write(
        _ shards: [Int], _ worker: WorkerID, _ terms: LeaseTerms, changesHands: Bool,
        on connection: borrowing Connection
    ) throws(PostgresError) {
        guard !shards.isEmpty else { return }
        let length = Parameter.int(terms.length.wholeMicroseconds)
        try connection.run(.writeLeases, [.ints(shards), .text(worker.text), length, .bool(changesHands)])
    }
}
