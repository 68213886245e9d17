/// Trips that wait for the store: at most one batch is under way, and the next one fills meanwhile.
struct StoreBatch: Sendable {
    let size: Int
    let linger: Duration
    private(set) var waiting: [Trip] = []
    /// How many trips are being stored.
    private(set) var underWay = 0
    private var oldest: Duration?

    init(size: Int, linger: Duration) {
        self.size = size
        self.linger = linger
    }

    /// Trips that are not stored yet.
    var unsaved: Int { waiting.count + underWay }

    /// When the waiting trips are to be stored at the latest; nil while none wait, or a batch is under way.
    var deadline: Duration? { underWay == 0 ? oldest.map { $0 + linger } : nil }

    mutating func append(_ trip: Trip, now: Duration) {
        waiting.append(trip)
        oldest = oldest ?? now
    }

    /// The next batch, if it is time: it is full, has waited long enough, or nothing more is to be expected.
    mutating func next(now: Duration, isLast: Bool) -> [Trip]? {
        guard underWay == 0, let deadline, isLast || waiting.count >= size || now >= deadline else { return nil }
        let trips = Array(waiting.prefix(size))
        waiting.removeFirst(trips.count)
        oldest = waiting.isEmpty ? nil : now
        underWay = trips.count
        return trips
    }

    mutating func stored() {
        underWay = 0
    }

    /// The batch under way has failed; its trips count as waiting again, though nobody stores them any more.
    mutating func failed(_ trips: [Trip]) {
        underWay = 0
        waiting = trips + waiting
    }
}
