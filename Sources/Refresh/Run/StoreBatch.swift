/// Trips that wait for the store: at most one batch is under way, and the next one fills meanwhile.
struct StoreBatch: Sendable {
    /// Trips a batch at most.
    let size: Int
    /// How long a trip waits for its batch to fill.
    let linger: Duration
    /// Trips for the batches to come, in the order in which they ended.
    private(set) var waiting: [Trip] = []
    /// How many trips are being stored.
    private(set) var underWay = 0
    /// Whether a batch has failed: nothing more is stored.
    private(set) var isBroken = false
    private var oldest: Duration?

    /// No trips yet.
    init(size: Int, linger: Duration) {
        self.size = size
        self.linger = linger
    }

    /// Trips that are not stored yet.
    var unsaved: Int { waiting.count + underWay }

    /// When the waiting trips are to be stored at the latest; nil while none wait, a batch is under way, or
    /// one has failed.
    var deadline: Duration? { underWay == 0 && !isBroken ? oldest.map { $0 + linger } : nil }

    /// Takes in a trip that has ended.
    mutating func append(_ trip: Trip, now: Duration) {
        waiting.append(trip)
        oldest = oldest ?? now
    }

    /// The next batch, if it is time: it is full, has waited long enough, or nothing more is to be expected.
    mutating func next(now: Duration, isLast: Bool) -> [Trip]? {
        guard let deadline, isLast || waiting.count >= size || now >= deadline else { return nil }
        let trips = Array(waiting.prefix(size))
        waiting.removeFirst(trips.count)
        oldest = waiting.isEmpty ? nil : now
        underWay = trips.count
        return trips
    }

    /// The batch under way is in the store.
    mutating func stored() {
        underWay = 0
    }

    /// The batch under way has failed; its trips count as unsaved, with all that come after them.
    mutating func failed(_ trips: [Trip]) {
        isBroken = true
        underWay = 0
        waiting = trips + waiting
    }
}
