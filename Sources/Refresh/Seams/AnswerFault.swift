/// Why an answer is not believed, coarse enough for the policy; the fine word goes with it for the event.
package struct AnswerFault: Error, Hashable, Sendable {
    /// What the policy looks at.
    package enum Kind: Hashable, Sendable {
        /// Signature, chain, payload or freshness.
        case notVerified
        /// Verified, but its creation time is not later than that of the receipt we sent.
        case notNewer
        /// Verified, but it speaks of another key, app or environment.
        case otherKey
    }

    /// What the policy looks at.
    package let kind: Kind
    /// The failed step's stable word, as `inspect` prints it.
    package let word: String
    /// Expected and found, safe to log.
    package let detail: String

    /// Puts the parts together; nothing is checked.
    package init(kind: Kind, word: String, detail: String) {
        self.kind = kind
        self.word = word
        self.detail = detail
    }
}
