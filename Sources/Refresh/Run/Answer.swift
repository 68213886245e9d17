import AppAttest

/// A request that has ended, with what its answer turned out to be.
struct Answer: Sendable {
    /// The row that was sent.
    let candidate: Candidate
    /// The lane it went through.
    let lane: Lane
    /// When it left, in elapsed time.
    let sent: Duration
    /// What came back.
    let reply: DataServerReply
    /// What that is after verification.
    let finding: Finding
    /// When the answer came.
    let time: Instant
}
