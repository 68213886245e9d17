import Risk

/// What came of a batch of receipts that back ends had handed over.
package struct IntakeStep: Hashable, Sendable {
    /// The number of the last one that was looked at; nil at the queue's end.
    package var last: Int64?
    /// Receipts that went in.
    package var takenIn = 0
    /// Receipts that did not.
    package var rejected = 0
    /// Those among `takenIn` with another `device_ref` than the one on record, which stays.
    package var deviceRefsIgnored = 0
    /// Those among `takenIn` whose reading is older than its retention and was not kept.
    package var readingsOutdated = 0
    /// What the readings in them did to flags.
    package var flagChanges: [FlagChange] = []

    /// Nothing has been looked at.
    package init() {}
}
