import AppAttest

/// Judges kept answers again, with the trust anchors and blocked signers of today, each at the time when it came.
///
/// What verifies is merged as any answer is, which makes its key active again; what does not stays as it is, and nobody
/// is charged.
package struct Recheck: Sendable {
    /// Keys at a time, each with a few answers of at most 64 KiB.
    private static let keysAtATime = 50

    private let answers: any KeptAnswerStoring
    private let store: any RefreshStoring
    private let clock: any WallClock
    private var judge: AnswerJudge
    private var counts = RecheckCounts()

    /// Joins the parts.
    package init(
        verifier: any AnswerVerifying, answers: any KeptAnswerStoring, store: any RefreshStoring,
        cadences: [AppID: Cadence], clock: any WallClock,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.answers = answers
        self.store = store
        self.clock = clock
        self.judge = AnswerJudge(verifier: verifier, cadences: cadences, random: random)
    }

    /// Judges what is selected, a few keys at a time. Doing so twice changes nothing more.
    ///
    /// - Throws: when the store fails; what was merged until then stays merged.
    package mutating func run(_ selection: QuarantineSelection) async throws(StoreFailure) -> RecheckCounts {
        counts = RecheckCounts()
        var cursor: KeyIdentifier?
        while true {
            let page = try await answers.keptAnswers(selection, after: cursor, keyLimit: Self.keysAtATime)
            guard let last = page.last else { return counts }
            try await recheck(page)
            cursor = last.entry.keyID
        }
    }

    private mutating func recheck(_ page: [KeptAnswer]) async throws(StoreFailure) {
        let rows = try await store.receipts(of: Array(Set(page.map(\.entry.keyID))))
        let rowOfKey = Dictionary(rows.map { ($0.keyID, $0) }, uniquingKeysWith: { first, _ in first })
        var verified: [(number: Int64, outcome: Outcome)] = []
        var doubted: [(keyID: KeyIdentifier, word: String)] = []
        for answer in page {
            // A key that was erased meanwhile has taken its answers along.
            guard let row = rowOfKey[answer.entry.keyID], row.owns(answer.entry) else { continue }
            counts.judged += 1
            switch judge.judge(answer.entry, row) {
            case .verified(let outcome): verified.append((answer.number, outcome))
            case .unverified(let word): doubted.append((row.keyID, word))
            }
        }
        let replaced = try await merge(verified)
        // A newer receipt has let its key's other answers go.
        for (keyID, word) in doubted where !replaced.contains(keyID) {
            counts.unverified[word, default: 0] += 1
        }
    }

    /// Merges what verifies, and gives the keys whose receipt was replaced.
    private mutating func merge(
        _ verified: [(number: Int64, outcome: Outcome)]
    ) async throws(StoreFailure) -> Set<KeyIdentifier> {
        guard !verified.isEmpty else { return [] }
        let results = try await store.store(verified.map(\.outcome), now: clock.now())
        var replaced: Set<KeyIdentifier> = []
        var done: [Int64] = []
        for (answer, stored) in zip(verified, results) {
            if let sqlState = stored.refusal {
                counts.refused[sqlState, default: 0] += 1
                continue
            }
            done.append(answer.number)
            counts.count(stored.flagChange)
            if stored.isReadingOutdated { counts.readingsOutdated += 1 }
            if stored.word == .replaced {
                counts.replaced += 1
                replaced.insert(stored.keyID)
            } else {
                counts.superseded += 1
            }
        }
        try await answers.removeAnswers(done)
        return replaced
    }
}
