import AppAttest
import Refresh
import Synchronization
import TestSupport
import Testing

@Suite("Kept answers are judged again")
struct RecheckTests {
    /// Answers in memory, under the contract of the seam, for selections of everything.
    private final class MemoryAnswers: KeptAnswerStoring {
        private let state: Mutex<(left: [KeptAnswer], most: Int)>

        init(_ answers: [KeptAnswer]) { state = Mutex((answers, 0)) }

        var left: [Int64] { state.withLock { $0.left.map(\.number) } }
        /// The most answers that were asked for at a time.
        var most: Int { state.withLock { $0.most } }

        func keptAnswers(
            _ selection: QuarantineSelection, after cursor: KeyIdentifier?, keyLimit: Int
        ) async throws(StoreFailure) -> [KeptAnswer] {
            state.withLock { state in
                let after = cursor.map { Samples.number($0.bytes) } ?? -1
                let keys = Set(state.left.map { Samples.number($0.entry.keyID.bytes) }.filter { $0 > after }).sorted()
                    .prefix(keyLimit)
                let page = state.left.filter { keys.contains(Samples.number($0.entry.keyID.bytes)) }
                    .sorted { ($0.number) < ($1.number) }
                    .sorted { Samples.number($0.entry.keyID.bytes) < Samples.number($1.entry.keyID.bytes) }
                state.most = max(state.most, page.count)
                return page
            }
        }

        func removeAnswers(_ numbers: [Int64]) async throws(StoreFailure) {
            state.withLock { state in state.left.removeAll { numbers.contains($0.number) } }
        }
    }

    private func answer(_ number: Int, of keyNumber: Int, good: Bool = true) throws -> KeptAnswer {
        let due = try Samples.due(keyNumber)
        return KeptAnswer(
            number: Int64(number),
            entry: JournalEntry(
                receivedTime: Samples.noon, serverDate: Samples.noon, environment: .production, appID: due.appID,
                keyID: due.keyID, sentDigest: due.receiptDigest, sentCreationTime: due.creationTime,
                answer: ReceiptBytes([good ? 0xa5 : 0])))
    }

    private func recheck(_ answers: MemoryAnswers, _ store: MemoryStore) async throws -> RecheckCounts {
        var recheck = Recheck(
            verifier: BelievingVerifier(), answers: answers, store: store, cadences: [:],
            clock: StandingClock(time: Samples.noon + .days(3)), random: SeededGenerator(seed: 3))
        return try await recheck.run(QuarantineSelection())
    }

    @Test("what verifies is merged and goes, what does not stays and is counted by its word, a few keys at a time")
    func judged() async throws {
        let answers = MemoryAnswers(try (0..<120).map { try answer($0, of: $0, good: $0 % 4 != 0) })
        let store = MemoryStore(try (0..<120).map { try Samples.due($0) })
        let counts = try await recheck(answers, store)
        var expected = RecheckCounts()
        expected.judged = 120
        expected.replaced = 90
        expected.unverified = ["signature_invalid": 30]
        #expect(counts == expected && counts.needPerson)
        #expect(answers.left == (0..<120).filter { $0 % 4 == 0 })
        #expect(answers.most == 50)
        #expect(store.stored.count == 90 && store.stored.allSatisfy { $0.token == nil && $0.sentTime == nil })
        let again = try await recheck(answers, store)
        #expect(again.judged == 30 && again.replaced == 0 && again.unverified == expected.unverified)
        #expect(store.stored.count == 90)
    }

    @Test("of a key that a newer receipt brings back, other answers need nobody any more; an erased key has none")
    func overtaken() async throws {
        let answers = MemoryAnswers([
            try answer(1, of: 1, good: false), try answer(2, of: 1), try answer(3, of: 700),
        ])
        let counts = try await recheck(answers, MemoryStore([try Samples.due(1)]))
        #expect(counts.judged == 2 && counts.replaced == 1 && !counts.needPerson)
    }

    @Test("a store that fails ends it, and no answer has gone that is not merged")
    func storeFails() async throws {
        let answers = MemoryAnswers([try answer(1, of: 1)])
        let store = MemoryStore([try Samples.due(1)], failingBatches: 1..<2)
        await #expect(throws: MemoryStore.away) { try await recheck(answers, store) }
        #expect(answers.left == [1])
    }
}
