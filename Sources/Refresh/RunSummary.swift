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
