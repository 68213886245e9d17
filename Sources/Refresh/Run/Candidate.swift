import AppAttest

/// A claimed row on its way to the data server.
struct Candidate: Sendable {
    /// The row as it was claimed.
    let due: DueReceipt
    /// Nil when its app is not configured.
    let lane: Lane?
    /// The lease under which it was claimed.
    let token: LeaseToken
    /// How often it was sent again in this run because the server had not begun on it.
    var resends = 0
    /// The places of the signing keys that were refused for it.
    var refusedKeys: Set<Int> = []
    /// When it was sent first; nil until then.
    var sentTime: Instant?
    /// The answer for which it is sent again.
    var refusal: (reply: DataServerReply, failure: String?)?

    /// The same, to be sent again for this answer.
    func again(after answer: Answer) -> Candidate {
        var candidate = self
        candidate.refusal = (answer.reply, answer.finding.failureWord)
        if let key = answer.reply.refusedKey {
            candidate.refusedKeys.insert(key)
        } else {
            candidate.resends += 1
        }
        return candidate
    }
}
