/// The right to decide about the rows of one shard, as it was when a row was claimed.
///
/// The store compares it with the lease that stands there when the outcome is written: the owner is random and the
/// counter goes up with every change of hands, so a lease that was lost in between, even to be had again, shows.
package struct LeaseToken: Hashable, Sendable {
    /// Who held the shard.
    package let worker: WorkerID
    /// Which of its leases.
    package let counter: Int64

    /// Pairs the two.
    package init(worker: WorkerID, counter: Int64) {
        self.worker = worker
        self.counter = counter
    }
}
