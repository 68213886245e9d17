import AppAttest
import Postgres
import Refresh

/// Answers that were not believed. They may be good and this program wrong, for instance about a new intermediate, so
/// a mended build can judge them again. Their bytes are as secret as receipts.
enum KeptAnswers {
    /// The newest of a key: as many as it takes to put its receipt aside.
    static let mostOfKey = 3
    /// Of the whole fleet: a few kilobytes each, so some 20 MB, and more than it takes to see what ails it. The newest
    /// stay; workers side by side may each go beyond it by a batch.
    static let most = 5_000
    /// Octets of one, as the schema has it. The reply's own limit is below that.
    private static let largest = 65_536

    /// Keeps the answers among these outcomes that were not believed, whatever became of their rows.
    ///
    /// Only those to what is still stored: a newer receipt has made the others needless. An answer that is kept already
    /// is not kept again.
    static func keep(_ outcomes: [Outcome], now: Instant, on connection: borrowing Connection) throws(PostgresError) {
        let doubtful = outcomes.compactMap { DoubtfulAnswer($0, now: now) }.filter {
            (1...largest).contains($0.bytes.count)
        }
        guard !doubtful.isEmpty else { return }
        let kept = try connection.all(
            .keepAnswers,
            [
                .keyIDs(doubtful.map(\.due.keyID)),
                .times(doubtful.map(\.receivedTime)),
                .times(doubtful.map(\.serverDate)),
                .times(doubtful.map(\.due.creationTime)),
                .bytesArray(doubtful.map(\.due.receiptDigest.bytes)),
                .texts(doubtful.map(\.fault.word)),
                .bytesArray(doubtful.map(\.bytes)),
            ]
        ) { rows throws(PostgresError) in try rows.keyID() }
        guard !kept.isEmpty else { return }
        try connection.run(.trimAnswers, [.keyIDs(kept), .int(Int64(mostOfKey))])
        try connection.run(.boundAnswers, [.int(Int64(most))])
    }

    /// Lets the answers go that a newer receipt of their key has overtaken.
    static func forget(
        overtakenIn keys: some Collection<KeyIdentifier>, on connection: borrowing Connection
    ) throws(PostgresError) {
        try connection.run(.forgetAnswers, [.keyIDs(Array(keys))])
    }
}

/// A 200 that was not believed.
private struct DoubtfulAnswer {
    let due: DueReceipt
    let receivedTime: Instant
    let serverDate: Instant?
    let fault: AnswerFault
    let bytes: [UInt8]

    /// Nil for all other outcomes.
    init?(_ outcome: Outcome, now: Instant) {
        guard let fault = outcome.fault, let reply = outcome.reply, case .receipt(let answer) = reply.reply else {
            return nil
        }
        due = outcome.due
        serverDate = reply.date
        self.fault = fault
        bytes = answer.bytes
        switch outcome.ending {
        case .answered: receivedTime = now
        // The row says when its last try ended, which is when the answer came.
        case .kept(let row): receivedTime = row.lastOutcomeTime ?? now
        }
    }
}
