import AppAttest

/// Sends one receipt and says what came back. Implemented by `DataServer`.
package protocol DataServerSending: Sendable {
    /// Sends the receipt to the data server of its environment with the JWT of its app's team; never throws, since
    /// every
    /// end of the request is a `Reply`.
    func send(_ receipt: ReceiptBytes, app: AppID, environment: Environment) async -> DataServerReply
}

/// Judges an answer. Joined to `Verification` by the command.
package protocol AnswerVerifying: Sendable {
    /// Verifies an answer to `due`: signature, chain, payload, freshness against `serverDate` (the reply's `Date`;
    /// without
    /// one, `now`), app, key and environment.
    ///
    /// - Throws: which kind of fault was found.
    func verify(
        _ answer: ReceiptBytes, to due: DueReceipt, serverDate: Instant?, now: Instant
    ) throws(AnswerFault) -> VerifiedReceipt
}

/// Why an answer is not believed, coarse enough for the policy; the fine word goes with it for the event.
package struct AnswerFault: Error, Hashable, Sendable {
    /// What the policy looks at.
    package enum Kind: Hashable, Sendable {
        /// Signature, chain, payload or freshness.
        case notVerified
        /// Verified, but its creation time is not later than that of the receipt we sent.
        case notNewer
        /// Verified, but it speaks of another key, app or environment.
        case otherKey
    }

    package let kind: Kind
    /// The failed step's stable word, as `inspect` prints it.
    package let word: String
    /// Expected and found, safe to log.
    package let detail: String

    package init(kind: Kind, word: String, detail: String) {
        self.kind = kind
        self.word = word
        self.detail = detail
    }
}

/// The rows of a run. Implemented by `ReceiptStore`.
package protocol RefreshStoring: Sendable {
    /// Ends rows whose expiration time has passed: quiet ones retire, others are lost after a week of daily tries.
    func endExpired(now: Instant, app: AppID?) async throws(StoreFailure) -> EndedCounts
    /// How many rows are due at `now`.
    func countDue(now: Instant, app: AppID?) async throws(StoreFailure) -> Int
    /// The due rows after `cursor` in (rank, due time, key) order, at most `limit`.
    func dueReceipts(
        now: Instant, after cursor: DueCursor?, limit: Int, app: AppID?
    ) async throws(StoreFailure) -> [DueReceipt]
    /// Stores a batch in one transaction: merges, records readings, assesses, writes schedule rows and flags.
    ///
    /// The results are in the order of `outcomes`.
    func store(_ outcomes: [Outcome], now: Instant) async throws(StoreFailure) -> [StoredOutcome]
    /// Records the run's start, and its end with the summary.
    func beginRun(now: Instant) async throws(StoreFailure) -> Int64
    func finishRun(_ run: Int64, summary: RunSummary, now: Instant) async throws(StoreFailure)
}

/// Where a reading of due rows goes on.
package struct DueCursor: Hashable, Sendable {
    package let rank: Rank
    package let dueTime: Instant
    package let keyID: KeyIdentifier

    package init(rank: Rank, dueTime: Instant, keyID: KeyIdentifier) {
        self.rank = rank
        self.dueTime = dueTime
        self.keyID = keyID
    }
}

/// How many rows ended because their expiration time passed.
package struct EndedCounts: Hashable, Sendable {
    package let retired: Int
    package let lost: Int

    package init(retired: Int, lost: Int) {
        self.retired = retired
        self.lost = lost
    }
}

/// Why the store could not do its work.
package enum StoreFailure: Error, Hashable, Sendable {
    /// The database is away, read-only or shutting down; try again later. `message` is libpq's first line.
    case unavailable(message: String)
    /// A statement failed for good.
    case statementFailed(query: String, sqlState: String, message: String)
    /// The schema is not the one this program was built for.
    case schemaMismatch(expected: Int, found: Int)
}
