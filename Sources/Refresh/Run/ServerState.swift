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
    /// A refused stream that is sent again says nothing yet, unless it was the probe that should have told. An odd
    /// answer is an answer: it may be that of one receipt.
    mutating func note(_ answer: Answer, isSentAgain: Bool, now: Duration) {
        let isFailure: Bool
        switch answer.finding {
        case .verified, .notModified:
            hasAnswered = true
            isFailure = false
        case .refusedStream where isSentAgain && !breaker.isOpen: return
        case .serverFailure, .unreachable, .refusedStream: isFailure = true
        case .doubtful, .incorrectEnvironment, .badRequest, .unauthorized, .noData, .tooManyRequests, .unexpected:
            isFailure = false
        }
        breaker.ended(isFailure: isFailure, sent: answer.sent, now: now)
    }
}
