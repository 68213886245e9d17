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
    /// Whether the answer brought another token (field 5) than the stored receipt had.
    package let isTokenChanged: Bool
    /// The SQLSTATE with which the database refused the outcome for a value in it; nothing of it is stored but that the
    /// try failed. Nil where all is well.
    package let refusal: String?

    /// Puts the parts together; nothing is checked.
    package init(
        keyID: KeyIdentifier, word: OutcomeWord, flagChange: FlagChange, dueTime: Instant?,
        isTokenChanged: Bool = false, refusal: String? = nil
    ) {
        self.keyID = keyID
        self.word = word
        self.flagChange = flagChange
        self.dueTime = dueTime
        self.isTokenChanged = isTokenChanged
        self.refusal = refusal
    }
}
