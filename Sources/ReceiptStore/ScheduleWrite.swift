import AppAttest
import Postgres
import Refresh

/// A `schedule` row to be written, with what is kept of the reply beside it.
struct ScheduleWrite {
    /// Whose row.
    let keyID: KeyIdentifier
    /// What it becomes; its shard stays.
    let row: ScheduleRow
    /// What came back, where something was sent.
    let reply: DataServerReply?

    /// Writes the rows; one of an erased key writes nothing.
    static func write(_ writes: [ScheduleWrite], on connection: borrowing Connection) throws(PostgresError) {
        guard !writes.isEmpty else { return }
        let rows = writes.map(\.row)
        try connection.run(
            .writeSchedule,
            [
                .keyIDs(writes.map(\.keyID)),
                .ints(rows.map(\.rank.rawValue)),
                .times(rows.map(\.dueTime)),
                .words(rows.map(\.state)),
                .words(rows.map(\.quarantineReason)),
                .ints(rows.map(\.attempts)),
                .ints(rows.map(\.failures)),
                .words(rows.map(\.lastOutcome)),
                .times(rows.map(\.lastOutcomeTime)),
                .ints(writes.map(\.reply?.status)),
                .times(writes.map(\.reply?.date)),
                .texts(writes.map { bounded($0.reply?.traceID, to: 64) }),
                .texts(writes.map { bounded($0.reply?.spanID, to: 64) }),
                .texts(writes.map { bounded($0.reply?.excerpt, to: 200) }),
            ])
    }

    /// At most so many Unicode scalars, which is what PostgreSQL counts, and no NUL, which text cannot hold.
    private static func bounded(_ text: String?, to count: Int) -> String? {
        guard let text else { return nil }
        // A scalar has one byte or more, so nearly every text is seen to be good without taking it apart.
        if text.utf8.count <= count, !text.utf8.contains(0) { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.lazy.filter { $0 != "\0" }.prefix(count)))
    }
}
