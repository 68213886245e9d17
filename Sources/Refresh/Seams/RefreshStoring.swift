import AppAttest

/// The rows of a run. Implemented by `ReceiptStore`.
package protocol RefreshStoring: Sendable {
    /// Ends rows whose expiration time has passed: quiet ones retire, others are lost after a week of daily tries.
    func endExpired(now: Instant, app: AppID?) async throws(StoreFailure) -> EndedCounts
    /// How many rows are due at `now`.
    func countDue(now: Instant, app: AppID?) async throws(StoreFailure) -> Int
    /// Counts the worker among the living, gives back the shards named, renews the leases that it holds, and takes free
    /// ones up to its part. A lease that has ended is lost, whether or not somebody else has taken it.
    ///
    /// - Parameters:
    ///   - now: rows due by then make another's shard worth telling of.
    ///   - app: of this app only.
    func holdShards(
        _ worker: WorkerID, givingBack: Set<Int>, now: Instant, app: AppID?
    ) async throws(StoreFailure) -> ShardHoldings
    /// Gives back whatever the worker holds; it is not counted among the living any more.
    func releaseShards(_ worker: WorkerID) async throws(StoreFailure)
    /// The due rows of one environment and rank in these shards after `cursor` in (due time, key) order, at most
    /// `limit`.
    func dueReceipts(
        now: Instant, rank: Rank, after cursor: DueCursor?, limit: Int, app: AppID?, environment: Environment,
        shards: [Int]
    ) async throws(StoreFailure) -> [DueReceipt]
    /// The receipts of these keys with their rows, whatever their state and whether due or not; a key that is not on
    /// record has none. In no order.
    func receipts(of keys: [KeyIdentifier]) async throws(StoreFailure) -> [DueReceipt]
    /// Stores a batch in one transaction: merges, records readings, assesses, writes schedule rows and flags.
    /// Storing it twice changes nothing more.
    ///
    /// What a receipt brought is merged whoever brings it. Where the lease of an outcome's token is not held any more,
    /// by the rows locked in the transaction, nothing else of it is written: no row is put off, quieted or charged.
    ///
    /// The results are in the order of `outcomes`.
    func store(_ outcomes: [Outcome], now: Instant) async throws(StoreFailure) -> [StoredOutcome]
    /// Takes a part of the budget that all workers share for the data server of an environment, and tells them of what
    /// this one has met with.
    func takeSlice(_ request: SliceRequest, from environment: Environment) async throws(StoreFailure) -> PaceSlice
    /// The environments whose data server, under its present URL, has ever given a receipt that verifies, or a 304.
    func answeredEnvironments() async throws(StoreFailure) -> Set<Environment>
    /// Records the run's start, and its end with the summary.
    func beginRun(now: Instant) async throws(StoreFailure) -> Int64
    /// Records the end of a run with its summary.
    func finishRun(_ run: Int64, summary: RunSummary, now: Instant) async throws(StoreFailure)
}
