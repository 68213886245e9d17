import AppAttest
import Postgres
import ReceiptStore
import Refresh
import Testing

@Suite("Due rows and their ends")
struct ScheduleTests {
    @Test("due rows come by rank, then time, then key, page by page, each once")
    func paging() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<61)
            // Ranks and times that repeat, so that each part of the cursor has to do its work.
            for number in 1..<61 {
                try await stores.keep(number, at: start) { row in
                    row.rank = Rank.allCases[number % 5]
                    row.dueTime = start + .seconds(Int64(number % 3))
                }
            }
            var pages: [DueReceipt] = []
            for rank in Rank.allCases {
                var cursor: DueCursor?
                while true {
                    let page = try await stores.refresh.dueReceipts(
                        now: start + .seconds(1), rank: rank, after: cursor, limit: 7, app: nil,
                        environment: .production, shards: allShards)
                    guard let last = page.last else { break }
                    #expect(page.count <= 7)
                    pages += page
                    cursor = DueCursor(dueTime: last.schedule.dueTime, keyID: last.keyID)
                }
            }
            let expected = (1..<61).filter { $0 % 3 < 2 }.sorted { left, right in
                (left % 5, left % 3, left) < (right % 5, right % 3, right)
            }
            #expect(pages.map(\.keyID) == expected.map(key))
            #expect(try await stores.refresh.countDue(now: start + .seconds(1), app: nil) == 40)
        }
    }

    @Test("to find that nothing is due in development takes a few pages, however much is due in production")
    func otherEnvironment() async throws {
        try await Stores.lend { stores in
            try await stores.execute(
                """
                INSERT INTO attestwatch.attested_key (key_id, app_id, environment, public_key, added_time)
                SELECT sha256(int8send(n)), '\(app)', 'production', sha256('') || sha256('') || '\\x00', now()
                FROM generate_series(1, 5000) AS n;
                INSERT INTO attestwatch.receipt (key_id, receipt_type, creation_time, expiration_time, stored_time,
                    digest, attested_certificate_digest, token_digest, signer_serial, bytes)
                SELECT key_id, 'ATTEST', now(), now() + interval '90 days', now(),
                    sha256(''), sha256(''), sha256(''), '\\x01', '\\x30'
                FROM attestwatch.attested_key;
                INSERT INTO attestwatch.schedule (key_id, due_time, expiration_time, shard, rank)
                SELECT key_id, now() - interval '1 hour', now() + interval '90 days', 0, 3
                FROM attestwatch.attested_key;
                ANALYZE
                """)
            let query = try #require(Query.all.first { $0.name == "due_receipts" }).text
            func pages(_ environment: Environment) async throws -> Int {
                let values = [
                    "now()", "3", "NULL", "NULL", "NULL", "10", "'\(environment.rawValue)'", "ARRAY[0]::bigint[]",
                ]
                let asked = zip(1..., values).reduce(query) { text, value in
                    text.replacing("$\(value.0)", with: value.1)
                }
                let plan = try await stores.texts("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) \(asked)")
                let buffers = try #require(plan.first { $0.contains("Buffers: ") }, "\(plan)")
                return buffers.matches(of: /(?:hit|read)=([0-9]+)/).compactMap { Int($0.1) }.reduce(0, +)
            }
            let busy = try await pages(.production)
            let idle = try await pages(.development)
            #expect(busy > 10 && idle < 10, "\(busy) in production, \(idle) in development")
        }
    }

    @Test("one app's rows can be asked for")
    func oneApp() async throws {
        try await Stores.lend { stores in
            _ = try await stores.intake.takeIn(
                [intake(receipt(1, type: .attest)), intake(receipt(2, type: .attest, app: otherApp))], now: start)
            let now = start + .hours(2)
            #expect(try await stores.refresh.countDue(now: now, app: otherApp) == 1)
            let rows = try await stores.refresh.dueReceipts(
                now: now, limit: 10, app: otherApp, environment: .production, shards: allShards)
            #expect(rows.map(\.keyID) == [key(2)])
        }
    }

    @Test("one environment's rows are asked for, and come however many of the other's stand before them")
    func oneEnvironment() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<61)
            _ = try await stores.intake.takeIn(
                [intake(receipt(99, created: start + .minutes(30), type: .attest, environment: .development))],
                now: start + .minutes(30))
            let now = start + .days(1)
            for (environment, keys) in [(Environment.development, [key(99)]), (.production, (1..<61).map(key))] {
                let rows = try await stores.refresh.dueReceipts(
                    now: now, limit: 100, app: nil, environment: environment, shards: allShards)
                #expect(Set(rows.map(\.keyID)) == Set(keys) && rows.allSatisfy { $0.environment == environment })
            }
            #expect(try await stores.refresh.countDue(now: now, app: nil) == 61)
        }
    }

    @Test("an answer without a metric is due again when its window opens, one with a metric at the cadence")
    func withoutMetric() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<3)
            let now = start + .hours(1)
            try await stores.answer([receipt(1, created: now), receipt(2, created: now, metric: 1)])
            let rows = try await stores.due()
            let opens = now + .days(1)
            let unmeasured = try #require(rows[key(1)]).schedule
            #expect((opens...(opens + .hours(2))).contains(unmeasured.dueTime))
            #expect(unmeasured.rank == .firstReading)
            let measured = try #require(rows[key(2)]).schedule
            #expect(measured.dueTime > now + .days(5) && measured.rank == .routine)

            // Once measured, and then not: the older reading does not hide that.
            let later = now + .days(6)
            try await stores.answer([receipt(2, created: later)])
            let again = try #require(try await stores.due()[key(2)]).schedule
            #expect((later + .days(1)...(later + .days(1) + .hours(2))).contains(again.dueTime))

            // The same for a receipt that a back end brings.
            _ = try await stores.intake.takeIn([intake(receipt(3, created: start))], now: start)
            let brought = try #require(try await stores.due()[key(3)]).schedule
            #expect((start + .days(1)...(start + .days(1) + .hours(2))).contains(brought.dueTime))
        }
    }

    @Test("a due row carries what an answer must agree with")
    func content() async throws {
        try await Stores.lend { stores in
            let stored = receipt(1, metric: 3)
            _ = try await stores.intake.takeIn([intake(stored, device: "phone")], now: start)
            let row = try #require(try await stores.due()[key(1)])
            #expect(row.receipt == stored.bytes && row.receiptDigest == stored.digest)
            #expect(row.creationTime == start && row.notBefore == start + .days(1))
            #expect(row.expirationTime == start + .days(90))
            #expect(row.attestedCertificateDigest == stored.attestedCertificateDigest)
            #expect(row.appID == app && row.environment == .production && row.attestedTime == nil)
        }
    }

    @Test(
        "at its expiration time a quiet row retires; another, tried since, is lost a week later; others wait",
        arguments: [
            (ReceiptState.quiet, Duration.zero, Duration.days(90), ReceiptState.retired),
            (.quiet, .zero, .days(90) - .microseconds(1), .quiet),
            (.active, .days(90), .days(90), .active),
            (.active, .days(90), .days(97) - .microseconds(1), .active),
            (.active, .days(90), .days(97), .lost),
            (.active, .days(89), .days(120), .active),
            (.quarantined, .days(90), .days(200), .quarantined),
        ])
    func ends(state: ReceiptState, tried: Duration, after: Duration, expected: ReceiptState) async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            try await stores.keep(1, at: start + tried) { row in
                row.state = state
                row.quarantineReason = state == .quarantined ? .badRequest : nil
            }
            let counts = try await stores.refresh.endExpired(now: start + after, app: nil)
            #expect(counts.retired == (expected == .retired ? 1 : 0))
            #expect(counts.lost == (expected == .lost ? 1 : 0))
            #expect(try await stores.texts("SELECT state FROM attestwatch.schedule") == [expected.rawValue])
            let again = try await stores.refresh.endExpired(now: start + after, app: nil)
            #expect(again.retired == 0 && again.lost == 0)
        }
    }

    /// A try after the expiration time: when, how it ended, and what the data server answered.
    typealias LateTry = (day: Int, word: OutcomeWord, status: Int?)

    @Test(
        "lost is what was answered for a week after it expired: no try that came late, was held or was not answered",
        arguments: [
            ([(99, .failed, 503)], 99, .active), ([(99, .failed, 503)], 105, .active),
            ([(99, .failed, 503), (100, .failed, 429)], 106, .lost),
            ([(99, .held, nil)], 120, .active), ([(91, .held, 401), (92, .held, 401)], 120, .active),
            ([(91, .failed, nil), (92, .failed, nil)], 120, .active),
            ([(91, .failed, nil), (99, .early, 304)], 105, .active),
            ([(91, .failed, nil), (99, .early, 304)], 106, .lost),
            // Once answered, what comes later does not begin the week anew.
            ([(91, .failed, 500), (92, .held, nil)], 98, .lost),
        ] as [([LateTry], Int, ReceiptState)])
    func losing(tries: [LateTry], day: Int, expected: ReceiptState) async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            for attempt in tries {
                try await stores.keep(1, at: start + .days(attempt.day), status: attempt.status) { row in
                    row.lastOutcome = attempt.word
                    row.dueTime = start + .days(attempt.day)
                }
            }
            let now = start + .days(day)
            let lost = expected == .lost ? 1 : 0
            #expect(try await stores.refresh.endExpired(now: now, app: nil).lost == lost)
            #expect(try await stores.texts("SELECT state FROM attestwatch.schedule") == [expected.rawValue])
            #expect(
                try await stores.number(
                    "SELECT count(*) FROM attestwatch.schedule WHERE ended_time IS NOT NULL") == lost)
        }
    }

    @Test("a newer receipt brings back a key that had ended")
    func revives() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            try await stores.keep(1, at: start + .days(90)) { _ in }
            _ = try await stores.refresh.endExpired(now: start + .days(97), app: nil)
            #expect(try await stores.due().isEmpty)
            let outcomes = try await stores.intake.takeIn(
                [intake(receipt(1, created: start + .days(98), metric: 1))], now: start + .days(98))
            #expect(outcomes.map(\.result) == [.replaced])
            #expect(try await stores.due()[key(1)]?.schedule.state == .active)
        }
    }

    @Test("the fleet's status counts each key once, and names the oldest due, the soonest expiry and the last run")
    func status() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<9)
            #expect(try await stores.reports.fleetStatus(at: start).lastRunStart == nil)
            try await stores.answer([
                receipt(2, created: start + .days(1), metric: 1), receipt(4, created: start + .days(1), metric: 1),
            ])
            try await stores.answer([receipt(3, created: start + .days(40), metric: 1)])
            try await stores.goQuiet(4, at: start + .days(2))
            for (number, state) in [(5, "quarantined"), (6, "retired"), (7, "lost")] {
                let reason = state == "quarantined" ? "'bad_request'" : "NULL"
                try await stores.execute(
                    """
                    UPDATE attestwatch.schedule SET state = '\(state)', quarantine_reason = \(reason)
                    WHERE key_id = decode('\(hex(key(number)))', 'hex')
                    """)
            }
            let now = start + .days(41)
            try await stores.keep(8, at: now) { $0.dueTime = now - .hours(1) }
            let run = try await stores.refresh.beginRun(now: start + .days(3))
            var summary = RunSummary()
            summary.flagsCleared = 5
            summary.replayed = 6
            (summary.takenIn, summary.rejected) = (7, 8)
            try await stores.refresh.finishRun(run, summary: summary, now: start + .days(4))

            let status = try await stores.reports.fleetStatus(at: now)
            #expect([status.unknown, status.fresh, status.stale, status.quiet] == [2, 1, 1, 1])
            #expect([status.quarantined, status.retired, status.lost] == [1, 1, 1])
            #expect([status.due, status.overdue] == [4, 3])
            #expect(try #require(status.oldestDue) <= start + .hours(2))
            #expect(status.soonestExpiry == start + .days(90))
            #expect(status.lastRunStart == start + .days(3) && status.lastRunEnd == start + .days(4))
            #expect(try await stores.number("SELECT flags_cleared FROM attestwatch.refresh_run") == 5)
            #expect(try await stores.number("SELECT replayed FROM attestwatch.refresh_run") == 6)
            #expect(try await stores.number("SELECT taken_in * 10 + rejected FROM attestwatch.refresh_run") == 78)
        }
    }
}
