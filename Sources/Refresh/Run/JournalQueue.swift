/// Trips that wait for the journal: one group is written at a time, and the next one gathers meanwhile.
struct JournalQueue: Sendable {
    private var waiting: [Trip] = []
    private var underWay = 0
    /// Why the journal is written no more.
    private(set) var failure: JournalFailure?

    /// Trips that are not written yet.
    var count: Int { waiting.count + underWay }

    /// Takes in a trip that has ended with a receipt.
    mutating func append(_ trip: Trip) {
        waiting.append(trip)
    }

    /// The next group; nil while one is under way, or none wait.
    mutating func next() -> [Trip]? {
        guard underWay == 0, !waiting.isEmpty else { return nil }
        defer { waiting = [] }
        underWay = waiting.count
        return waiting
    }

    /// The group under way is written.
    mutating func written() {
        underWay = 0
    }

    /// The group under way could not be written; gives the trips that wait, which go on without the journal.
    mutating func failed(_ failure: JournalFailure) -> [Trip] {
        underWay = 0
        self.failure = failure
        defer { waiting = [] }
        return waiting
    }
}
