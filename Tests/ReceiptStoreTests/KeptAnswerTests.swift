import AppAttest
import Refresh
import TestSupport
import Testing

@Suite("Answers that are not believed")
struct KeptAnswerTests {
    private static let count = "SELECT count(*) FROM attestwatch.kept_answer"
    private static let noon = start + .days(1)

    /// An answer that did not verify; its octets are those of its number.
    private func doubted(
        _ row: DueReceipt, answer: Int, at time: Instant = noon, token: LeaseToken? = nil,
        _ change: (inout ScheduleRow) -> Void = { _ in }
    ) -> Outcome {
        var schedule = row.schedule
        schedule.lastOutcome = .held
        schedule.lastOutcomeTime = time
        change(&schedule)
        let reply = DataServerReply(
            reply: .receipt(ReceiptBytes(filled(64, with: answer))), status: 200, date: time + .seconds(1),
            traceID: nil, spanID: nil, excerpt: nil)
        return Outcome(
            due: row, sentTime: time, reply: reply, ending: .kept(schedule),
            fault: AnswerFault(kind: .notVerified, word: "chain", detail: ""), token: token)
    }

    private func row(_ number: Int, _ stores: Stores) async throws -> DueReceipt {
        try #require(try await stores.due()[key(number)])
    }

    @Test("one is kept with what is needed to judge it again, also where its row was held or its lease is gone")
    func kept() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<3)
            let (held, fenced) = (try await row(1, stores), try await row(2, stores))
            let token = try #require(try await stores.tokens()(held))
            _ = try await stores.refresh.store(
                [doubted(held, answer: 1, token: token), doubted(fenced, answer: 2)], now: Self.noon + .hours(1))
            let kept = try await stores.texts(
                """
                SELECT concat_ws(' ', encode(a.bytes, 'hex'), a.fault, extract(epoch FROM a.received_time)::bigint,
                    extract(epoch FROM a.server_date)::bigint, a.sent_creation_time = r.creation_time,
                    a.sent_digest = r.digest)
                FROM attestwatch.kept_answer a JOIN attestwatch.receipt r USING (key_id) ORDER BY a.key_id
                """)
            let seconds = Self.noon.seconds
            #expect(
                kept
                    == [1, 2].map { number in
                        let zeros = String(repeating: "0", count: 127)
                        return "\(zeros)\(number) chain \(seconds) \(seconds + 1) t t"
                    })
        }
    }

    @Test("an answer that is believed, a 304 and a failure without an answer leave nothing")
    func others() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<4)
            try await stores.answer([receipt(1, created: Self.noon, metric: 1)])
            try await stores.keep(2, at: Self.noon) { $0.lastOutcome = .early }
            try await stores.goQuiet(3, at: Self.noon)
            #expect(try await stores.number(Self.count) == 0)
        }
    }

    @Test("of a key the newest three are kept, and the same answer once")
    func bounded() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<3)
            let (first, second) = (try await row(1, stores), try await row(2, stores))
            for answer in [1, 2, 3, 3, 4, 5] {
                _ = try await stores.refresh.store(
                    [doubted(first, answer: answer), doubted(second, answer: 1)], now: Self.noon)
            }
            let kept = try await stores.texts(
                """
                SELECT string_agg(get_byte(bytes, 63)::text, ' ' ORDER BY answer_id)
                FROM attestwatch.kept_answer GROUP BY key_id ORDER BY key_id
                """)
            #expect(kept == ["3 4 5", "1"])
        }
    }

    @Test("once there are 5,000 in all, the newest take the oldest's place")
    func full() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<4)
            try await stores.execute(
                """
                INSERT INTO attestwatch.kept_answer
                    (key_id, received_time, sent_creation_time, sent_digest, fault, bytes)
                SELECT r.key_id, now(), r.creation_time, r.digest, 'chain', int4send(n)
                FROM attestwatch.receipt r, generate_series(1, 4999) AS n
                WHERE r.key_id = (SELECT min(key_id::text)::bytea FROM attestwatch.receipt)
                """)
            let rows = [try await row(2, stores), try await row(3, stores)]
            let tokens = try await stores.tokens()
            let stored = try await stores.refresh.store(
                rows.map { doubted($0, answer: 7, token: tokens($0)) { $0.dueTime = Self.noon + .hours(2) } },
                now: Self.noon)
            #expect(stored.map(\.word) == [.held, .held])
            #expect(stored.allSatisfy { $0.refusal == nil && $0.dueTime == Self.noon + .hours(2) })
            #expect(try await stores.number(Self.count) == 5_000)
            let newest = "SELECT count(DISTINCT key_id) FROM attestwatch.kept_answer"
            #expect(try await stores.number(newest) == 3)
        }
    }

    @Test("one larger than any reply may be is not kept, and breaks no batch")
    func oversized() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            let row = try await row(1, stores)
            let reply = DataServerReply(
                reply: .receipt(ReceiptBytes(filled(65_537, with: 1))), status: 200, date: nil, traceID: nil,
                spanID: nil, excerpt: nil)
            let outcome = Outcome(
                due: row, sentTime: nil, reply: reply, ending: .kept(row.schedule),
                fault: AnswerFault(kind: .notVerified, word: "envelope", detail: ""))
            #expect(try await stores.refresh.store([outcome], now: Self.noon).map(\.refusal) == [nil])
            #expect(try await stores.number(Self.count) == 0)
        }
    }

    @Test("a newer receipt lets its key's answers go, whoever brings it, and no other's")
    func overtaken() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<4)
            var rows: [DueReceipt] = []
            for number in 1..<4 { rows.append(try await row(number, stores)) }
            _ = try await stores.refresh.store(rows.map { doubted($0, answer: 1) }, now: Self.noon)
            try await stores.answer([receipt(1, created: Self.noon, metric: 1)])
            _ = try await stores.intake.takeIn([intake(receipt(2, created: Self.noon))], now: Self.noon)
            let left = "SELECT DISTINCT encode(key_id, 'hex') FROM attestwatch.kept_answer"
            #expect(try await stores.texts(left).map { $0.last } == ["3"])
            // One that comes late, to a receipt that is not stored any more, is of no use either.
            _ = try await stores.refresh.store([doubted(rows[0], answer: 2)], now: Self.noon)
            #expect(try await stores.texts(left).map { $0.last } == ["3"])
        }
    }

    @Test("they go with their key, and none is kept of a key that was erased")
    func erased() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            let row = try await row(1, stores)
            _ = try await stores.refresh.store([doubted(row, answer: 1)], now: Self.noon)
            #expect(try await stores.number(Self.count) == 1)
            try await stores.execute("DELETE FROM attestwatch.attested_key")
            #expect(try await stores.number(Self.count) == 0)
            _ = try await stores.refresh.store([doubted(row, answer: 1)], now: Self.noon)
            #expect(try await stores.number(Self.count) == 0)
        }
    }
}
