import AppAttest

/// Judges an answer that was kept as it would have been judged when it came: by the reply's `Date` and by the receipt
/// that was sent.
struct AnswerJudge: Sendable {
    /// What an answer is found to be.
    enum Judgement: Sendable {
        /// It verifies: what the store is told.
        case verified(Outcome)
        /// It does not; the failed step's word.
        case unverified(String)
    }

    private let verifier: any AnswerVerifying
    private let cadences: [AppID: Cadence]
    private var random: any RandomNumberGenerator & Sendable

    /// A judge for the apps of these cadences.
    init(
        verifier: any AnswerVerifying, cadences: [AppID: Cadence], random: any RandomNumberGenerator & Sendable
    ) {
        self.verifier = verifier
        self.cadences = cadences
        self.random = random
    }

    /// Judges an answer to the receipt of `row`, or to an older one of its key.
    mutating func judge(_ entry: JournalEntry, _ row: DueReceipt) -> Judgement {
        let due = row.sent(as: entry)
        let reply = DataServerReply(
            reply: .receipt(entry.answer), status: 200, date: entry.serverDate, traceID: nil, spanID: nil,
            excerpt: nil)
        let finding = Finding(reply.reply) { answer throws(AnswerFault) in
            try verifier.verify(answer, to: due, serverDate: entry.serverDate, now: entry.receivedTime)
        }
        let policy = ReplyPolicy(cadence: cadences[due.appID] ?? .standard)
        let decision = policy.decide(
            finding, for: due, serverDate: entry.serverDate, resends: ReplyPolicy.longestResending,
            hasOtherKey: false,
            now: entry.receivedTime, using: &random)
        guard case .merge(let receipt) = decision.disposition else {
            return .unverified(finding.failureWord ?? "clocks_apart")
        }
        return .verified(Outcome(due: due, sentTime: nil, reply: reply, ending: .answered(receipt)))
    }
}

extension DueReceipt {
    /// Whether this key may have what an entry holds. What came before the key was put on record came to one that was
    /// erased since, and that the back end has handed over again.
    func owns(_ entry: JournalEntry) -> Bool {
        addedTime.map { $0 <= entry.receivedTime } ?? true
    }

    /// The row as it stood when the receipt was sent that an entry is the answer to, as far as an answer can tell.
    fileprivate func sent(as entry: JournalEntry) -> DueReceipt {
        DueReceipt(
            keyID: keyID, appID: appID, environment: environment, subject: subject, receipt: receipt,
            receiptDigest: entry.sentDigest, creationTime: entry.sentCreationTime, notBefore: notBefore,
            expirationTime: expirationTime, attestedCertificateDigest: attestedCertificateDigest,
            attestedTime: attestedTime, addedTime: addedTime, schedule: schedule)
    }
}
