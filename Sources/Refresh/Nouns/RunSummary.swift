import Risk

/// The counts of one run, as `refresh` prints them.
package struct RunSummary: Hashable, Sendable {
    /// Rows due when the run began.
    package var due = 0
    /// Rows sent; one sent again after a refused stream counts once, as the server began on it once.
    package var sent = 0
    /// Newer receipts stored.
    package var replaced = 0
    /// 304.
    package var early = 0
    /// 404.
    package var quiet = 0
    /// Verified answers that the store already had, or had newer ones than.
    package var superseded = 0
    /// Put aside without charge, sent or not.
    package var held = 0
    /// Put aside for a person.
    package var quarantined = 0
    /// 429, 5xx, no answer, odd answers, and charged failures on the way to quarantine.
    package var failed = 0
    /// Quiet rows that ended before the run because their receipt had expired.
    package var retired = 0
    /// Rows with data expected that ended likewise.
    package var lost = 0
    /// Verified answers that an earlier run had left in its journal, and this one handed to the store.
    package var replayed = 0
    /// Receipts that back ends had handed over, and that went in.
    package var takenIn = 0
    /// Those that did not, for a reason that `submission` tells.
    package var rejected = 0
    /// Those that still wait when the run ends; with `dryRun`, all that wait.
    package var pending = 0
    /// Flags opened.
    package var flagsOpened = 0
    /// Flags raised to a higher level.
    package var flagsRaised = 0
    /// Flags lowered to another level.
    package var flagsLowered = 0
    /// Flags cleared.
    package var flagsCleared = 0

    /// All counts at zero.
    package init() {}
}

extension RunSummary {
    /// Counts what the store says of one outcome.
    ///
    /// Every row that was sent and stored is counted once among `replaced`, `early`, `quiet`, `superseded`, `held`,
    /// `quarantined` and `failed`; `held` counts the rows that were put aside unsent besides.
    mutating func count(_ stored: StoredOutcome) {
        switch stored.word {
        case .replaced: replaced += 1
        case .superseded: superseded += 1
        case .early: early += 1
        case .quiet: quiet += 1
        case .held: held += 1
        case .quarantined: quarantined += 1
        case .failed: failed += 1
        }
        count(stored.flagChange)
    }

    /// Counts what a reading did to a flag.
    mutating func count(_ change: FlagChange) {
        switch change {
        case .unchanged: break
        case .opened: flagsOpened += 1
        case .raised: flagsRaised += 1
        case .lowered: flagsLowered += 1
        case .cleared: flagsCleared += 1
        }
    }
}
