import Risk

/// What came of kept answers that were judged again.
package struct RecheckCounts: Hashable, Sendable {
    /// How many were judged.
    package var judged = 0
    /// Receipts that verify now and took the stored one's place.
    package var replaced = 0
    /// Receipts that verify now, and that the store has, or has newer ones than.
    package var superseded = 0
    /// Those of both whose reading is older than its retention and was not kept.
    package var readingsOutdated = 0
    /// Answers that still do not verify and stay, by the failed step's word.
    package var unverified: [String: Int] = [:]
    /// Receipts that verify, refused by the database for a value in them, by SQLSTATE. They stay.
    package var refused: [String: Int] = [:]
    /// Flags opened by their readings.
    package var flagsOpened = 0
    /// Flags raised to a higher level.
    package var flagsRaised = 0
    /// Flags lowered to another level.
    package var flagsLowered = 0
    /// Flags cleared.
    package var flagsCleared = 0

    /// Nothing was judged.
    package init() {}

    /// Whether somebody has to look at what stays.
    package var needPerson: Bool { !unverified.isEmpty || !refused.isEmpty }
}

extension RecheckCounts {
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
