import AppAttest

/// One receipt's trip, from claim to the door of the store. It never throws: one bad receipt cannot stop a run.
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

    /// Puts the parts together; nothing is checked.
    package init(
        due: DueReceipt, sentTime: Instant?, reply: DataServerReply?, ending: Ending, fault: AnswerFault? = nil
    ) {
        self.due = due
        self.sentTime = sentTime
        self.reply = reply
        self.ending = ending
        self.fault = fault
    }

    /// What the store has to do.
    package enum Ending: Hashable, Sendable {
        /// Merge this verified answer: it goes in where its creation time is later than the stored one's.
        case answered(VerifiedReceipt)
        /// The stored receipt stays; its schedule row becomes this one.
        case kept(ScheduleRow)
    }
}
