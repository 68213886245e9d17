import AppAttest
import Refresh
import TestSupport
import Testing

@Suite("Ranks and their shares")
struct RankShareTests {
    private let timer = SteppingTimer()

    private func row(_ number: Int, _ rank: Rank) throws -> DueReceipt {
        try Samples.due(number, schedule: ScheduleRow(shard: 0, rank: rank, dueTime: Samples.noon))
    }

    /// Sends until so many have been sent, and gives how many of each rank there were.
    private func sent(_ count: Int, of rows: [(Rank, Range<Int>)]) async throws -> [Rank: Int] {
        var ranks: [Int: Rank] = [:]
        for (rank, numbers) in rows { for number in numbers { ranks[number] = rank } }
        let store = MemoryStore(try ranks.map { try row($0.key, $0.value) })
        store.timer.withLock { [timer] in $0 = timer }
        let sender = RuledSender { receipt, _, _ in .receipt(ReceiptBytes([0xa5] + receipt.bytes)) }
        var options = RefreshOptions(teams: [try Samples.app(): try #require(TeamID(Samples.team))])
        options.paces = [.production: Pace(requestsPerSecond: 1_000, inFlight: 10)]
        _ = try await RefreshRun(
            options: options, sender: sender, verifier: BelievingVerifier(), store: store,
            clock: StandingClock(time: Samples.noon), timer: timer, observer: RecordingObserver(),
            random: SeededGenerator(seed: 8), stopRequested: { sender.sent.count >= count }
        ).run()
        let first = sender.sent.prefix(count)
        return Dictionary(first.map { (ranks[Samples.number($0.bytes)] ?? .background, 1) }, uniquingKeysWith: +)
    }

    @Test("while rows wait in all ranks, each has its share")
    func contended() async throws {
        let counts = try await sent(
            1_000, of: Rank.allCases.enumerated().map { ($0.element, $0.offset * 600..<$0.offset * 600 + 600) })
        for rank in Rank.allCases {
            #expect(abs((counts[rank] ?? 0) - rank.share * 10) <= 30, "\(rank): \(counts[rank] ?? 0)")
        }
    }

    @Test("a share that nobody uses passes on")
    func passesOn() async throws {
        let counts = try await sent(500, of: [(.background, 0..<1_000), (.flagged, 1_000..<1_100)])
        #expect(counts == [.flagged: 100, .background: 400])
    }

    @Test("a back-fill of any size does not hold up keys about to expire, nor those the back-fill")
    func backfill() async throws {
        let aboutToExpire = try await sent(400, of: [(.background, 0..<2_000), (.expiring, 2_000..<2_200)])
        #expect(aboutToExpire[.expiring] == 200)
        let backfill = try await sent(1_000, of: [(.expiring, 0..<2_000), (.background, 2_000..<2_200)])
        #expect((50...200).contains(backfill[.background] ?? 0), "\(backfill)")
    }
}
