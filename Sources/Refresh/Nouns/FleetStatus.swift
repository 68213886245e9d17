import AppAttest

/// The state of the whole fleet at one time, as `status` prints it.
package struct FleetStatus: Hashable, Sendable {
    /// Keys without any reading.
    package var unknown = 0
    /// Keys whose newest reading is under 30 days old.
    package var fresh = 0
    /// Keys whose last answer was 404.
    package var quiet = 0
    /// Keys last read 30 or more days ago to which Apple did not answer 404.
    package var stale = 0
    /// Keys that may be claimed now.
    package var due = 0
    /// Due for over 24 hours.
    package var overdue = 0
    /// Keys that wait for a person.
    package var quarantined = 0
    /// Keys that a person has given up.
    package var dropped = 0
    /// Keys that ended quiet.
    package var retired = 0
    /// Keys whose data never came.
    package var lost = 0
    /// Receipts that back ends have handed over, and that wait to be taken in.
    package var pending = 0
    /// Receipts that they handed over, and that were not taken in.
    package var rejected = 0
    /// The due time of the key that has waited longest.
    package var oldestDue: Instant?
    /// The soonest expiration time still ahead, among keys that are neither retired, lost nor quarantined.
    package var soonestExpiry: Instant?
    /// When the last run began.
    package var lastRunStart: Instant?
    /// When it ended; nil while it goes on, or where it was cut off.
    package var lastRunEnd: Instant?

    /// All counts at zero.
    package init() {}
}
