import AppAttest

/// How one receipt fared between being claimed and being stored. Its failures are values, so that they end nothing but
/// its own trip.
package struct Outcome: Hashable, Sendable {
    /// The row as it was claimed.
    package let due: DueReceipt
    /// When the request left; nil when none was sent.
    package let sentTime: Instant?
    /// What came back; nil when nothing was sent.
    package let reply: DataServerReply?
    /// What the store has to do.
    package let ending: Ending
    /// Why an answer was not believed; nil for all other ends.
    package let fault: AnswerFault?
    /// The lease under which the row was claimed; nil where it was not claimed, as when a journal is replayed.
    package let token: LeaseToken?

    /// Puts the parts together; nothing is checked.
    package init(
        due: DueReceipt, sentTime: Instant?, reply: DataServerReply?, ending: Ending, fault: AnswerFault? = nil,
        token: LeaseToken? = nil
    ) {
        self.due = due
        self.sentTime = sentTime
        self.reply = reply
        self.ending = ending
        self.fault = fault
        self.token = token
    }

    /// What the store has to do.
    package enum Ending: Hashable, Sendable {
        /// Hand this verified answer to the merge, which keeps the later of it and the stored receipt.
        ///
        /// Indirect, because an outcome goes through many hands and an answer has many parts.
        indirect case answered(VerifiedReceipt)
        /// The stored receipt stays; its schedule row becomes this one.
        case kept(ScheduleRow)
    }
}
