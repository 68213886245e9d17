import AppAttest
import Postgres
import ReceiptStore
import Refresh
import Testing

@Suite("Retention")
struct RetentionTests {
    private static let retention = Retention(
        readings: .days(100), runs: .days(90), rejects: .days(20), alerts: .days(80))

    private func store(_ stores: Stores) throws -> PostgresRetentionStore {
        PostgresRetentionStore(database: try Database(stores.test.conninfo), batchSize: 3)
    }

    /// Rows of each kind from 1 to 120 days before `start`, ten days apart.
    private func fill(_ stores: Stores) async throws {
        try await stores.execute(
            """
            CREATE TEMPORARY TABLE old AS SELECT n, to_timestamp(\(start.seconds)) - interval '1 day' * n AS time
            FROM generate_series(1, 121, 10) AS n;
            INSERT INTO attestwatch.metric_reading
                SELECT decode(repeat('ab', 32), 'hex'), time - interval '5 years', n FROM old;
            INSERT INTO attestwatch.refresh_run (start_time, end_time)
                SELECT time, CASE WHEN n > 30 THEN time END FROM old ORDER BY time;
            INSERT INTO attestwatch.alert (kind, cause, message, hint, opened_time, seen_time, closed_time)
                SELECT 'a.b', n, '', '', time, time, CASE WHEN n <> 101 THEN time END FROM old;
            INSERT INTO attestwatch.intake_rejected
                (key_id, digest, app_id, submitted_time, rejected_time, reason, detail, receipt)
                SELECT decode(repeat('ab', 32), 'hex'), sha256(n::text::bytea), '\(app)', time, time, 'other', '', 'x'
                FROM old
            """)
    }

    @Test("what is older than its retention goes in batches, as counted before; the latest run that ended stays")
    func pruned() async throws {
        try await Stores.lend { stores in
            try await fill(stores)
            let store = try store(stores)
            // 70 days later the runs before those of the last 20 days are old, among them the latest that ended.
            for (now, runs, alerts, rejects) in [(start, 4, 4, 11), (start + .days(70), 5, 7, 2)] {
                var expected = PruneCounts()
                expected.readings = now == start ? 13 : 0
                (expected.runs, expected.alerts, expected.rejects) = (runs, alerts, rejects)
                let counted = try await store.count(Self.retention, now: now)
                #expect(counted == expected, "\(counted)")
                #expect(try await store.prune(Self.retention, now: now) == expected)
                #expect(try await store.prune(Self.retention, now: now) == PruneCounts())
            }
            let open = "SELECT cause FROM attestwatch.alert WHERE closed_time IS NULL"
            #expect(try await stores.texts(open) == ["101"])
            let ended = try await PostgresRunHistory(database: stores.test.database)
                .read(expecting: nil, clock: StillClock()).lastEnded
            #expect(ended?.startTime == start - .days(31))
        }
    }

    @Test("a run that has gone with its retention is no sign of a restored backup, one that is missing among others is")
    func missingRuns() async throws {
        try await Stores.lend { stores in
            try await fill(stores)
            let history = PostgresRunHistory(database: stores.test.database)
            let gone = RecordedRun(number: 1, startTime: start - .days(121))
            #expect(try await history.read(expecting: gone, clock: StillClock()).hasExpected)
            _ = try await store(stores).prune(Self.retention, now: start)
            #expect(try await history.read(expecting: gone, clock: StillClock()).hasExpected)
            let missing = RecordedRun(number: 99, startTime: start - .days(2))
            #expect(try await history.read(expecting: missing, clock: StillClock()).hasExpected == false)
        }
    }

    @Test("a reading that is older than the retention when it comes is kept beside its receipt alone, however it comes")
    func late() async throws {
        try await Stores.lend { stores in
            let now = start + .days(500)
            let old = start + .days(500 - 401)
            let kept = old + .days(2)
            // New to the store, and of a key whose stored receipt is older, and of one whose stored receipt is newer.
            _ = try await stores.intake.takeIn(
                [intake(receipt(2, created: start)), intake(receipt(3, created: now - .days(1)))], now: start)
            let outcomes = try await stores.intake.takeIn(
                [1, 2, 3].map { intake(receipt($0, created: old, metric: 5)) }
                    + [intake(receipt(4, created: kept, metric: 5))], now: now)
            #expect(outcomes.map(\.result) == [.takenIn, .replaced, .older, .takenIn])
            #expect(outcomes.map(\.isReadingOutdated) == [true, true, true, false])
            let readings = "SELECT get_byte(key_id, 31)::text FROM attestwatch.metric_reading"
            #expect(try await stores.texts(readings) == ["4"])
            #expect(
                try await stores.texts("SELECT risk_metric::text FROM attestwatch.receipt ORDER BY key_id")
                    == ["5", "5", "5", "5"])

            let stored = try await stores.answer([receipt(1, created: old + .minutes(1), metric: 6)], at: now)
            #expect(stored[0].word == .replaced && stored[0].isReadingOutdated)
            _ = try await store(stores).prune(.standard, now: now)
            let late = try await stores.answer([receipt(1, created: old, metric: 5)], at: now)
            #expect(late[0].word == .superseded && late[0].isReadingOutdated)
            #expect(try await stores.texts(readings) == ["4"])
        }
    }

    private struct StillClock: WallClock {
        func now() -> Instant { start }
    }
}
