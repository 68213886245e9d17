/// Trips that wait for the journal: one group is written at a time, and the next one gathers meanwhile.
///
/// A trip waits a moment for others, since forcing a group to the disk costs the same for one as for many. In that
/// moment it is no safer than on the wire.
struct JournalQueue: Sendable {
    /// So many make a group at once.
    private static let size = 32
    /// How long a trip waits for others.
    private static let linger: Duration = .milliseconds(5)

    private var waiting: [Trip] = []
    private var underWay = 0
    private var oldest: Duration?
    /// Why the journal is written no more.
    private(set) var failure: JournalFailure?

    /// Trips that are not written yet.
    var count: Int { waiting.count + underWay }

    /// When the waiting trips are to be written at the latest; nil while none wait, or a group is under way.
    var deadline: Duration? { underWay == 0 ? oldest.map { $0 + Self.linger } : nil }

    /// Takes in a trip that has ended with a receipt.
    mutating func append(_ trip: Trip, now: Duration) {
        waiting.append(trip)
        oldest = oldest ?? now
    }

    /// The next group, if it is time: enough wait, they have waited long enough, or nothing more is to be expected.
    mutating func next(now: Duration, isLast: Bool) -> [Trip]? {
        guard let deadline, isLast || waiting.count >= Self.size || now >= deadline else { return nil }
        let trips = waiting
        waiting = []
        oldest = nil
        underWay = trips.count
        return trips
    }

    /// The group under way is written.
    mutating func written() {
        underWay = 0
    }

    /// The group under way could not be written; gives the trips that wait, which go on without the journal.
    mutating func failed(_ failure: JournalFailure) -> [Trip] {
        underWay = 0
        self.failure = failure
        oldest = nil
        defer { waiting = [] }
        return waiting
    }
}
