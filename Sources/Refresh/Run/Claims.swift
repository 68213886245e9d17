import AppAttest

/// How far the reading of due rows has come.
struct Claims: Hashable, Sendable {
    /// At most so many rows in all; nil: no limit.
    let limit: Int?
    /// The last row read.
    private(set) var cursor: DueCursor?
    /// Rows read.
    private(set) var count = 0
    /// Whether a read is under way.
    private(set) var isUnderWay = false
    /// Whether a read has found nothing more.
    private(set) var isExhausted = false

    /// Nothing has been read.
    init(limit: Int?) {
        self.limit = limit
    }

    /// How many rows may still be read.
    var remaining: Int { limit.map { max(0, $0 - count) } ?? .max }

    /// Whether there may be more to read.
    var mayGoOn: Bool { !isExhausted && remaining > 0 }

    /// A read has begun.
    mutating func begin() {
        isUnderWay = true
    }

    /// The read has failed.
    mutating func fail() {
        isUnderWay = false
    }

    /// The read has brought these rows.
    mutating func end(_ rows: [DueReceipt]) {
        isUnderWay = false
        guard let last = rows.last else {
            isExhausted = true
            return
        }
        cursor = DueCursor(rank: last.schedule.rank, dueTime: last.schedule.dueTime, keyID: last.keyID)
        count += rows.count
    }
}
