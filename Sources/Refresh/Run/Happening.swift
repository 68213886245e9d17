import AppAttest

/// What a child task of the run's loop ends with.
enum Happening: Sendable {
    /// The shards were looked at; the look was begun at this time.
    case held(ShardHoldings, asked: Duration)
    /// They could not be looked at.
    case holdFailed(StoreFailure)
    /// Due rows were read for this sweep; none: there are no more.
    case claimed([DueReceipt], line: Line, sweep: Int)
    /// Due rows could not be read.
    case claimFailed(StoreFailure)
    /// The shared budget of a data server has granted this to a request.
    case paced(PaceSlice, SliceRequest, Environment)
    /// It could not be asked.
    case paceFailed(StoreFailure)
    /// A request has ended.
    indirect case answered(Answer)
    /// A group of answers is in the journal.
    case journaled([Trip])
    /// A group of answers could not be written to the journal.
    case journalFailed(JournalFailure, [Trip])
    /// A batch has been stored.
    case stored([Trip], [StoredOutcome])
    /// A batch could not be stored.
    case storeFailed(StoreFailure, [Trip])
    /// A timer has gone off.
    case woke(Duration)
}
