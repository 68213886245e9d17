import AppAttest

/// What a run keeps of one data server.
struct ServerState: Sendable {
    /// Rows that wait to be sent.
    var queue = RankedQueue()
    /// When the next may leave.
    var pacer: Pacer
    /// Whether it is failing.
    var breaker: Breaker
    /// Whether nothing more is sent to it in this run.
    var isClosed = false
    /// Whether it has ever given a receipt that verifies, or a 304: only then does a 404 speak of the receipt.
    var hasAnswered: Bool

    /// Nothing has been sent.
    init(pace: Pace, hasAnswered: Bool, now: Duration) {
        self.pacer = Pacer(pace: pace, now: now)
        self.breaker = Breaker(now: now)
        self.hasAnswered = hasAnswered
    }

    /// How many rows could leave at once if the pace allowed it.
    func wanted(now: Duration) -> Int {
        guard breaker.admission(now: now) == .send else { return 0 }
        return breaker.isOpen ? min(1, queue.ready) : queue.ready
    }

    /// Takes in what an answer says of the data server.
    ///
    /// A refused stream that is sent again says nothing yet, unless it was the probe that should have told.
    mutating func note(_ answer: Answer, isSentAgain: Bool, now: Duration) {
        switch answer.finding {
        case .verified, .notModified: hasAnswered = true
        case .refusedStream where isSentAgain && !breaker.isOpen: return
        case .refusedStream, .doubtful, .incorrectEnvironment, .badRequest, .unauthorized, .noData, .tooManyRequests,
            .serverFailure,
            .unreachable, .unexpected:
            break
        }
        breaker.ended(isFailure: !answer.finding.isServed, sent: answer.sent, now: now)
    }
}
