/// In which queue a due receipt stands, which has its share of the budget while rows wait in several. Written at store
/// time.
package enum Rank: Int, Hashable, Sendable, CaseIterable {
    /// Expires within three days with data expected, or stands in the last tenth of its window.
    case expiring = 0
    /// A fresh key without any reading.
    case firstReading = 1
    /// Of a flagged subject.
    case flagged = 2
    /// All other newest keys.
    case routine = 3
    /// Older keys of a device, keys taken in long after they were attested, and first readings of a back-fill that is
    /// spread.
    case background = 4

    /// Of 100 requests, how many are this rank's while rows wait in all of them.
    package var share: Int {
        switch self {
        case .expiring: 40
        case .firstReading: 30
        case .flagged: 20
        case .routine: 7
        case .background: 3
        }
    }
}
