import AppAttest
import Postgres
import ReceiptStore
import Refresh
import Risk
import TestSupport
import Testing

@Suite("What is told of a subject")
struct SubjectRecordTests {
    private func records(_ stores: Stores) -> PostgresSubjectRecords {
        PostgresSubjectRecords(database: stores.test.database)
    }

    @Test("a key by itself: its receipt, its schedule, its readings, and nothing of others")
    func oneKey() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<4)
            try await stores.answer([receipt(2, created: start + .days(1), metric: 3)])
            try await stores.answer([receipt(2, created: start + .days(8), metric: 2)])
            let found = try await records(stores).record(of: key(2), at: start + .days(9))
            let record = try #require(found)
            #expect(record.deviceRef == nil && record.keyCount == 1 && record.otherKeys.isEmpty)
            #expect(record.key.keyID == key(2) && record.key.isNewest && record.key.isReader)
            #expect(record.key.attestedTime == start && record.key.addedTime == start)
            #expect(record.key.receipt.type == .receipt && record.key.receipt.creationTime == start + .days(8))
            #expect(record.key.receipt.replacedCreationTime == start + .days(1))
            #expect(record.key.receipt.notBefore == start + .days(9))
            #expect(record.key.receipt.expirationTime == start + .days(98))
            #expect(record.key.receipt.riskMetric == 2 && record.key.receipt.metricTime == start + .days(8))
            #expect(record.key.schedule.lastOutcome == .replaced && record.key.schedule.state == .active)
            #expect(
                record.level
                    == KeyLevel(
                        level: "clear", riskMetric: 2, metricTime: start + .days(8), flagLevel: nil))
            #expect(
                record.readings == [
                    MetricReading(time: start + .days(8), riskMetric: 2),
                    MetricReading(time: start + .days(1), riskMetric: 3),
                ])
            #expect(record.flag == nil && record.flagEvents.isEmpty)
            #expect(try await records(stores).record(of: key(9), at: start) == nil)
        }
    }

    @Test("a device of many keys: its newest in full, twenty others, the count of all, and its flag's history")
    func device() async throws {
        try await Stores.lend { stores in
            let attests = (1...30).map { number in
                VerifiedIntake.attest(number, created: start + .minutes(number), device: "d")
            }
            _ = try await stores.intake.takeIn(attests, now: start + .hours(1))
            try await stores.answer([receipt(30, created: start + .days(1), metric: 25)])
            try await stores.answer([receipt(30, created: start + .days(3), metric: 5)])
            let found = try await records(stores).records(ofDevice: "d", app: nil, at: start + .days(4))
            let record = try #require(found.first)
            #expect(found.count == 1 && record.keyCount == 30)
            #expect(record.key.keyID == key(30) && record.key.isNewest)
            #expect(record.otherKeys.map(\.keyID) == (0..<20).map { key(29 - $0) })
            #expect(record.otherKeys.allSatisfy { !$0.isNewest && !$0.isReader && $0.schedule.rank == .background })
            #expect(record.flag?.peakMetric == 25 && record.level.level == record.flag?.level.rawValue)
            #expect(record.flagEvents.first?.kind == "lowered" || record.flagEvents.first?.kind == "opened")
            #expect(record.flagEvents.last?.kind == "opened" && record.flagEvents.last?.toLevel == .high)

            let old = try #require(try await records(stores).record(of: key(4), at: start + .days(4)))
            #expect(old.key.keyID == key(4) && !old.key.isNewest && old.keyCount == 30)
            #expect(old.otherKeys.first?.keyID == key(30))
        }
    }

    @Test("a device reference that several apps and environments know is found in each, and only there")
    func severalApps() async throws {
        try await Stores.lend { stores in
            let places: [(AppID, Environment)] = [(app, .production), (app, .development), (otherApp, .production)]
            for (index, (app, environment)) in places.enumerated() {
                for (offset, device) in ["d", "d ", "e"].enumerated() {
                    let receipt = receipt(
                        10 * index + offset, type: .attest, app: app, environment: environment)
                    _ = try await stores.intake.takeIn([intake(receipt, device: device)], now: start)
                }
            }
            try await stores.takeIn(100..<110)
            func found(_ device: String, _ app: AppID? = nil) async throws -> [KeyIdentifier] {
                try await records(stores).records(ofDevice: device, app: app, at: start).map(\.key.keyID)
            }
            #expect(Set(try await found("d")) == [key(0), key(10), key(20)])
            #expect(try await found("d", otherApp) == [key(20)])
            #expect(try await found("d ", otherApp) == [key(21)])
            #expect(try await found("f").isEmpty)
            #expect(try await found("d\0").isEmpty)
            #expect(try await found("").isEmpty)
        }
    }

    @Test("what came back last, why it is put aside, and how many answers are kept")
    func quarantined() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            try await stores.keep(1, at: start + .hours(2)) { row in
                row.state = .quarantined
                row.quarantineReason = .badRequest
                row.attempts = 2
                row.lastOutcome = .quarantined
            }
            try await stores.execute(
                """
                UPDATE attestwatch.schedule SET last_status = 400, last_trace_id = 't', last_span_id = 's',
                    last_excerpt = 'Bad Payload', last_server_date = '2026-12-01T00:00:00Z';
                INSERT INTO attestwatch.kept_answer
                    (key_id, received_time, sent_creation_time, sent_digest, fault, bytes)
                SELECT key_id, now(), now(), sha256('a'), 'x', 'b' FROM attestwatch.schedule
                """)
            let record = try #require(try await records(stores).record(of: key(1), at: start + .days(1)))
            #expect(record.key.schedule.state == .quarantined && record.key.schedule.quarantineReason == .badRequest)
            #expect(record.key.schedule.attempts == 2 && record.key.keptAnswers == 1)
            #expect(
                record.key.reply
                    == ReplyRecord(
                        status: 400, date: Instant(seconds: 1_796_083_200), traceID: "t", spanID: "s",
                        excerpt: "Bad Payload"))
        }
    }
}
