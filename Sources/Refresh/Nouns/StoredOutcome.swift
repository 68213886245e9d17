import AppAttest
import Risk

/// What became of an outcome in the store's transaction.
package struct StoredOutcome: Hashable, Sendable {
    /// Whose outcome it was.
    package let keyID: KeyIdentifier
    /// `replaced` or `superseded` for an answer; the kept row's word otherwise, `superseded` where it is fenced.
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
    /// Whether the lease under which the row was claimed was lost: only what a verified receipt brought is stored.
    package let isFenced: Bool
    /// Whether its reading is older than the retention of readings, and is kept beside the receipt at most.
    package let isReadingOutdated: Bool

    /// Puts the parts together; nothing is checked.
    package init(
        keyID: KeyIdentifier, word: OutcomeWord, flagChange: FlagChange, dueTime: Instant?,
        isTokenChanged: Bool = false, refusal: String? = nil, isFenced: Bool = false, isReadingOutdated: Bool = false
    ) {
        self.keyID = keyID
        self.word = word
        self.flagChange = flagChange
        self.dueTime = dueTime
        self.isTokenChanged = isTokenChanged
        self.refusal = refusal
        self.isFenced = isFenced
        self.isReadingOutdated = isReadingOutdated
    }
}
