import AppAttest

/// How the shards stand right after a worker has renewed, taken and given back.
package struct ShardHoldings: Hashable, Sendable {
    /// The lease of a shard that the worker holds.
    package struct Held: Hashable, Sendable {
        /// 0..63
        package let shard: Int
        /// Goes up with every change of hands.
        package let counter: Int64
        /// Elapsed time until the lease ends, unless renewed.
        package let remaining: Duration

        /// Puts the parts together; nothing is checked.
        package init(shard: Int, counter: Int64, remaining: Duration) {
            self.shard = shard
            self.counter = counter
            self.remaining = remaining
        }
    }

    /// A shard in which rows are due and that the worker does not hold.
    package struct Other: Hashable, Sendable {
        /// 0..63
        package let shard: Int
        /// Goes up with every change of hands.
        package let counter: Int64
        /// Moves on while that worker lives; by the store's clock, to be compared with itself only.
        package let sign: Instant

        /// Puts the parts together; nothing is checked.
        package init(shard: Int, counter: Int64, sign: Instant) {
            self.shard = shard
            self.counter = counter
            self.sign = sign
        }
    }

    /// What the worker holds.
    package let held: [Held]
    /// What it does not, of shards with due rows.
    package let others: [Other]
    /// How many shards are the worker's part: 64 / live workers, rounded up.
    package let share: Int
    /// How many workers live, this one among them.
    package let workers: Int
    /// How many shards other workers hold beyond such a part of their own: they will give them back.
    package let surplus: Int

    /// Puts the parts together; nothing is checked.
    package init(held: [Held], others: [Other] = [], share: Int, workers: Int = 1, surplus: Int = 0) {
        self.held = held
        self.others = others
        self.share = share
        self.workers = workers
        self.surplus = surplus
    }
}
