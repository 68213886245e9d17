import AppAttest
import Risk

/// What became of an outcome in the store's transaction.
package struct StoredOutcome: Hashable, Sendable {
    /// Whose outcome it was.
    package let keyID: KeyIdentifier
    /// `replaced` or `superseded` for an answer; the kept row's word otherwise.
    package let word: OutcomeWord
    /// What the reading did to the subject's flag.
    package let flagChange: FlagChange
    /// When the key is due next; nil when the key is gone (erased in the meantime).
    package let dueTime: Instant?

    /// Puts the parts together; nothing is checked.
    package init(keyID: KeyIdentifier, word: OutcomeWord, flagChange: FlagChange, dueTime: Instant?) {
        self.keyID = keyID
        self.word = word
        self.flagChange = flagChange
        self.dueTime = dueTime
    }
}
