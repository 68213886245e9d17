import AppAttest

/// How far the reading of one data server's due rows has come.
struct Claims: Hashable, Sendable {
    /// The last row read.
    private(set) var cursor: DueCursor?
    /// Rows read.
    private(set) var count = 0
    /// Whether a read has found nothing more.
    private(set) var isExhausted = false

    /// A read has brought these rows.
    mutating func take(_ rows: [DueReceipt]) {
        guard let last = rows.last else {
            isExhausted = true
            return
        }
        cursor = DueCursor(rank: last.schedule.rank, dueTime: last.schedule.dueTime, keyID: last.keyID)
        count += rows.count
    }
}
