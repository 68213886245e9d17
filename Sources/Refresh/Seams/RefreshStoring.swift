import AppAttest

/// The rows of a run. Implemented by `ReceiptStore`.
package protocol RefreshStoring: Sendable {
    /// Ends rows whose expiration time has passed: quiet ones retire, others are lost after a week of daily tries.
    func endExpired(now: Instant, app: AppID?) async throws(StoreFailure) -> EndedCounts
    /// How many rows are due at `now`.
    func countDue(now: Instant, app: AppID?) async throws(StoreFailure) -> Int
    /// One environment's due rows after `cursor` in (rank, due time, key) order, at most `limit`.
    func dueReceipts(
        now: Instant, after cursor: DueCursor?, limit: Int, app: AppID?, environment: Environment
    ) async throws(StoreFailure) -> [DueReceipt]
    /// The receipts of these keys with their rows, whatever their state and whether due or not; a key that is not on
    /// record has none. In no order.
    func receipts(of keys: [KeyIdentifier]) async throws(StoreFailure) -> [DueReceipt]
    /// Stores a batch in one transaction: merges, records readings, assesses, writes schedule rows and flags.
    /// Storing it twice changes nothing more.
    ///
    /// The results are in the order of `outcomes`.
    func store(_ outcomes: [Outcome], now: Instant) async throws(StoreFailure) -> [StoredOutcome]
    /// Records the run's start, and its end with the summary.
    func beginRun(now: Instant) async throws(StoreFailure) -> Int64
    /// Records the end of a run with its summary.
    func finishRun(_ run: Int64, summary: RunSummary, now: Instant) async throws(StoreFailure)
}
