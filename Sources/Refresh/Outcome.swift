import AppAttest
import Risk

/// One receipt's trip, from claim to the door of the store. It never throws: one bad receipt cannot stop a run.
package struct Outcome: Hashable, Sendable {
    package let due: DueReceipt
    /// When the request left; nil when none was sent.
    package let sentTime: Instant?
    package let reply: DataServerReply?
    package let ending: Ending

    package init(due: DueReceipt, sentTime: Instant?, reply: DataServerReply?, ending: Ending) {
        self.due = due
        self.sentTime = sentTime
        self.reply = reply
        self.ending = ending
    }

    /// What the store has to do.
    package enum Ending: Hashable, Sendable {
        /// Merge this verified answer: it goes in where its creation time is later than the stored one's.
        case answered(VerifiedReceipt)
        /// The stored receipt stays; its schedule row becomes this one.
        case kept(ScheduleRow)
    }
}

/// What became of an outcome in the store's transaction.
package struct StoredOutcome: Hashable, Sendable {
    package let keyID: KeyIdentifier
    /// `replaced` or `superseded` for an answer; the kept row's word otherwise.
    package let word: OutcomeWord
    /// What the reading did to the subject's flag.
    package let flagChange: FlagChange
    /// When the key is due next; nil when the key is gone (erased in the meantime).
    package let dueTime: Instant?

    package init(keyID: KeyIdentifier, word: OutcomeWord, flagChange: FlagChange, dueTime: Instant?) {
        self.keyID = keyID
        self.word = word
        self.flagChange = flagChange
        self.dueTime = dueTime
    }
}
