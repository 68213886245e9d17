/// Where the receipt's key and subject stand after what is being stored.
package struct Standing: Hashable, Sendable {
    /// Whether data is expected (`active`) or Apple has none at present (`quiet`).
    package let state: ReceiptState
    /// Whether the subject has an open flag.
    package let flagged: Bool
    /// Whether the key is its subject's newest; the older keys of a device are read in the background.
    package let newestKey: Bool

    /// Puts the facts together.
    package init(state: ReceiptState, flagged: Bool, newestKey: Bool) {
        self.state = state
        self.flagged = flagged
        self.newestKey = newestKey
    }
}
