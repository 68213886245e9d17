import AppAttest
import Refresh
import Risk
import Testing

@Suite("Storing answers")
struct MergeTests {
    @Test(
        "an answer goes in where it is newer than the stored receipt, whoever brought that",
        arguments: [
            (Duration.seconds(1), OutcomeWord.replaced), (.zero, .superseded), (.seconds(-1), .superseded),
            (.microseconds(1), .replaced),
        ])
    func merge(later: Duration, word: OutcomeWord) async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            let stored = receipt(1, created: start + .days(1), metric: 2)
            try await stores.answer([stored])
            let answer = receipt(1, created: start + .days(1) + later, metric: 3)
            let outcome = try await stores.answer([answer])[0]
            #expect(outcome.word == word)
            let row = try #require(try await stores.due()[key(1)])
            #expect(row.receiptDigest == (word == .replaced ? answer : stored).digest)
            #expect(row.schedule.lastOutcome == word)
            #expect(outcome.dueTime == row.schedule.dueTime)
            let readings = try await stores.number("SELECT count(*) FROM attestwatch.metric_reading")
            #expect(readings == (later == .zero ? 1 : 2))
        }
    }

    @Test("the receipt that was replaced is kept for one generation")
    func replacedIsKept() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            let (second, third) = (receipt(1, created: start + .days(1)), receipt(1, created: start + .days(2)))
            try await stores.answer([second])
            try await stores.answer([third])
            let kept = try await stores.texts("SELECT encode(replaced_bytes, 'hex') FROM attestwatch.receipt")
            #expect(kept == [second.bytes.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()])
        }
    }

    @Test("a receipt without a metric is no reading, and an older reading keeps its own date")
    func absentMetric() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            try await stores.answer([receipt(1, created: start + .days(1), metric: nil)])
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.metric_reading") == 0)
            var level = try await stores.reports.keyLevel(of: key(1), at: start + .days(1))
            #expect(level.level == "unknown" && level.riskMetric == nil && level.metricTime == nil)

            try await stores.answer([receipt(1, created: start + .days(2), metric: 3)])
            try await stores.answer([receipt(1, created: start + .days(9), metric: nil)])
            level = try await stores.reports.keyLevel(of: key(1), at: start + .days(9))
            #expect(level.riskMetric == 3 && level.metricTime == start + .days(2))
        }
    }

    @Test("a kept receipt's row is written, unless another receipt has come in the meantime")
    func kept() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            let stale = try #require(try await stores.due()[key(1)])
            let written = try await stores.keep(1, at: start) { row in
                row.failures = 4
                row.dueTime = start + .hours(7)
            }
            #expect(written.dueTime == start + .hours(7))
            #expect(try await stores.due()[key(1)]?.schedule.failures == 4)

            try await stores.answer([receipt(1, created: start + .days(1))])
            let fresh = try #require(try await stores.due()[key(1)])
            var row = stale.schedule
            row.lastOutcome = .failed
            row.lastOutcomeTime = start
            row.dueTime = start
            let token = try await stores.tokens()(stale)
            let outcome = Outcome(due: stale, sentTime: nil, reply: nil, ending: .kept(row), token: token)
            let result = try await stores.refresh.store([outcome], now: start + .days(1))
            #expect(result[0].dueTime == fresh.schedule.dueTime)
            #expect(try await stores.due()[key(1)]?.schedule == fresh.schedule)
        }
    }

    @Test("what the data server said stays with the last outcome, within bounds")
    func reply() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            let due = try #require(try await stores.due()[key(1)])
            var row = due.schedule
            row.lastOutcome = .failed
            row.lastOutcomeTime = start
            let reply = DataServerReply(
                reply: .badRequest, status: 400, date: start, traceID: "trace", spanID: "span",
                excerpt: "nul \0" + String(repeating: "é", count: 300))
            let token = try await stores.tokens()(due)
            _ = try await stores.refresh.store(
                [Outcome(due: due, sentTime: start, reply: reply, ending: .kept(row), token: token)], now: start)
            let found = try await stores.texts(
                """
                SELECT concat_ws(' ', last_status, last_trace_id, last_span_id, char_length(last_excerpt))
                FROM attestwatch.schedule
                """)
            #expect(found == ["400 trace span 200"])
        }
    }

    @Test("a key erased in the meantime gets nothing back")
    func erased() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<3)
            let due = try await stores.due()
            try await stores.execute(
                "DELETE FROM attestwatch.attested_key WHERE key_id = decode('\(hex(key(1)))', 'hex')")
            let outcomes = [1, 2].compactMap { number in
                due[key(number)].map {
                    Outcome(
                        due: $0, sentTime: nil, reply: nil,
                        ending: .answered(receipt(number, created: start + .days(1), metric: 5)))
                }
            }
            let stored = try await stores.refresh.store(outcomes, now: start + .days(1))
            #expect(stored.map { $0.dueTime == nil } == [true, false])
            #expect(stored[0].flagChange == .unchanged)
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.metric_reading") == 1)
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.receipt") == 1)
        }
    }

    @Test("one value that the database refuses fails alone, and the batch around it is stored")
    func badValue() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<8)
            let answers = (1..<8).map { receipt($0, created: start + .days(1), metric: $0 == 5 ? .max : 1) }
            let stored = try await stores.answer(answers)
            #expect(stored.map(\.keyID) == answers.map(\.keyID))
            #expect(stored.map(\.word) == (1..<8).map { $0 == 5 ? .failed : .replaced })
            #expect(try await stores.due()[key(5)]?.creationTime == start)
        }
    }

    @Test("two answers to one key in one batch are stored one after the other")
    func sameKeyTwice() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            let stored = try await stores.answer([
                receipt(1, created: start + .days(2), metric: 1), receipt(1, created: start + .days(1), metric: 1),
            ])
            #expect(stored.map(\.word) == [.replaced, .superseded])
        }
    }
}

/// A key identifier in hex.
func hex(_ key: KeyIdentifier) -> String {
    key.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
