import AppAttest

/// How far the reading of one line of due rows has come.
///
/// Shards that come to the run together are read together, from the beginning, behind a cursor of their own: a sweep.
struct Claims: Hashable, Sendable {
    /// Shards and how far they have been read.
    struct Sweep: Hashable, Sendable {
        /// Sets it apart from the other sweeps.
        let number: Int
        /// Which are read.
        var shards: Set<Int>
        /// The last row read.
        var cursor: DueCursor?
    }

    private var sweeps: [Sweep] = []
    private var isClosed = false
    private var begun = 0
    /// Rows read.
    private(set) var count = 0

    /// What is to be read next; nil: nothing more.
    var next: Sweep? { sweeps.first }

    /// Whether a read has found nothing more in any shard.
    var isExhausted: Bool { sweeps.isEmpty }

    /// These shards are the run's from now on.
    mutating func gain(_ shards: Set<Int>) {
        guard !shards.isEmpty, !isClosed else { return }
        lose(shards)
        begun += 1
        sweeps.append(Sweep(number: begun, shards: shards))
    }

    /// These are not to be read any more.
    mutating func lose(_ shards: Set<Int>) {
        for place in sweeps.indices { sweeps[place].shards.subtract(shards) }
        sweeps.removeAll { $0.shards.isEmpty }
    }

    /// Nothing more is to be read, whatever is gained.
    mutating func close() {
        isClosed = true
        sweeps = []
    }

    /// A read of this sweep, which may be gone by now, has brought these rows.
    mutating func take(_ rows: [DueReceipt], of sweep: Int) {
        guard let place = sweeps.firstIndex(where: { $0.number == sweep }) else { return }
        guard let last = rows.last else {
            sweeps.remove(at: place)
            return
        }
        sweeps[place].cursor = DueCursor(dueTime: last.schedule.dueTime, keyID: last.keyID)
        count += rows.count
    }
}
