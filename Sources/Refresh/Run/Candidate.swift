import AppAttest

/// A claimed row on its way to the data server.
struct Candidate: Hashable, Sendable {
    /// The row as it was claimed.
    let due: DueReceipt
    /// Nil when its app is not configured.
    let lane: Lane?
    /// The lease under which it was claimed.
    let token: LeaseToken
    /// How often it was sent again in this run.
    var resends = 0
    /// When it was sent first; nil until then.
    var sentTime: Instant?
    /// The refusal for which it is sent again.
    var refusal: DataServerReply?
}
