import AppAttest
import Postgres
import ReceiptStore
import Refresh
import TestSupport
import Testing

@Suite("Partitions of readings")
struct PartitionTests {
    private func retention(_ stores: Stores) throws -> PostgresRetentionStore {
        PostgresRetentionStore(database: try Database(stores.test.conninfo), batchSize: 7)
    }

    /// Which partition each reading is in, by its metric.
    private func places(_ stores: Stores) async throws -> [String] {
        try await stores.texts(
            """
            SELECT risk_metric || ' ' || substr(tableoid::regclass::text, 28)
            FROM attestwatch.metric_reading ORDER BY risk_metric
            """)
    }

    private func add(_ times: [String], _ stores: Stores) async throws {
        for (metric, time) in times.enumerated() {
            try await stores.execute(
                """
                INSERT INTO attestwatch.metric_reading
                VALUES (decode(repeat('ab', 32), 'hex'), '\(time)', \(metric))
                """)
        }
    }

    @Test("the month of the call and the three after it are made, over the year's end, in UTC, and only once")
    func made() async throws {
        try await Stores.lend { stores in
            let retention = try retention(stores)
            let november = try Instant(rfc3339: "2029-11-30T23:59:59Z")
            #expect(try await retention.makePartitions(at: november) == 4)
            #expect(try await retention.makePartitions(at: november) == 0)
            #expect(try await retention.makePartitions(at: november + .seconds(1)) == 1)
            let bounds = """
                SELECT c.relname || ' ' || pg_get_expr(c.relpartbound, c.oid) FROM pg_class c
                WHERE c.relname ~ '^metric_reading_(2029|203.)_..$' ORDER BY 1
                """
            try await stores.execute("SET TimeZone = 'UTC'")
            #expect(
                try await stores.texts(bounds)
                    == [
                        ("2029_11", "2029-11", "2029-12"), ("2029_12", "2029-12", "2030-01"),
                        ("2030_01", "2030-01", "2030-02"), ("2030_02", "2030-02", "2030-03"),
                        ("2030_03", "2030-03", "2030-04"),
                    ].map { name, from, to in
                        "metric_reading_\(name) FOR VALUES FROM ('\(from)-01 00:00:00+00') TO ('\(to)-01 00:00:00+00')"
                    })
        }
    }

    @Test("they are as those of the first migration, wherever the caller's clock shows")
    func shape() async throws {
        try await Stores.lend { stores in
            try await stores.execute("SET TimeZone = 'Pacific/Auckland'; SET DateStyle = 'German'")
            try await stores.execute("SELECT attestwatch.make_partitions('2030-01-01 00:00:00Z')")
            let shape = { (name: String) in
                """
                SELECT concat_ws(' ', a.attname, a.atttypid::regtype, a.attnotnull) FROM pg_attribute a
                WHERE a.attrelid = 'attestwatch.\(name)'::regclass AND a.attnum > 0
                UNION ALL SELECT concat_ws(' ', contype, conname, pg_get_constraintdef(oid)) FROM pg_constraint
                WHERE conrelid = 'attestwatch.\(name)'::regclass ORDER BY 1
                """
            }
            let first = try await stores.texts(shape("metric_reading_2027_03"))
            let made = try await stores.texts(shape("metric_reading_2030_01"))
            #expect(first.count > 5 && made == first.map { $0.replacing("2027_03", with: "2030_01") })
            try await stores.execute("SET TimeZone = 'UTC'; SET DateStyle = 'ISO'")
            try await add(["2029-12-31 23:59:59.999999Z", "2030-01-01 00:00Z"], stores)
            #expect(try await places(stores) == ["0 default", "1 2030_01"])
        }
    }

    @Test("readings that the default partition has of such a month move there, and no other, and none is lost")
    func moved() async throws {
        try await Stores.lend { stores in
            try await add(
                [
                    "2029-10-31 23:59:59.999999Z", "2029-11-01 00:00Z", "2029-12-31 23:59:59.999999Z",
                    "2030-01-01 00:00Z", "2030-02-28 12:00Z", "2030-03-01 00:00Z", "2020-01-01 00:00Z",
                ], stores)
            #expect(try await places(stores).allSatisfy { $0.hasSuffix("default") })
            #expect(try await retention(stores).makePartitions(at: Instant(rfc3339: "2029-11-05T00:00:00Z")) == 4)
            #expect(
                try await places(stores) == [
                    "0 default", "1 2029_11", "2 2029_12", "3 2030_01", "4 2030_02", "5 default", "6 default",
                ])
        }
    }

    @Test("of callers at once each month is made by one, while readings go on to be written")
    func atOnce() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<3)
            let now = try Instant(rfc3339: "2031-06-15T00:00:00Z")
            let made = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    let retention = try retention(stores)
                    group.addTask { try await retention.makePartitions(at: now) }
                }
                let writer = try stores.test.anew()
                group.addTask {
                    for day in 1...28 {
                        try await writer.execute(
                            """
                            INSERT INTO attestwatch.metric_reading
                            VALUES (decode(repeat('ab', 32), 'hex'), '2031-07-\(day) 00:00Z', \(day))
                            """)
                    }
                    return 0
                }
                return try await group.reduce(0, +)
            }
            #expect(made == 4)
            #expect(try await places(stores) == (1...28).map { "\($0) 2031_07" })
        }
    }

    @Test("whoever writes readings for that long makes it fail after a second, and nothing is half made")
    func held() async throws {
        try await Stores.lend { stores in
            let other = try stores.test.anew()
            try await other.execute(
                """
                BEGIN;
                INSERT INTO attestwatch.metric_reading VALUES (decode(repeat('ab', 32), 'hex'), '2031-07-01 00:00Z', 1)
                """)
            let now = try Instant(rfc3339: "2031-06-15T00:00:00Z")
            let failure = await #expect(throws: StoreFailure.self) {
                try await retention(stores).makePartitions(at: now)
            }
            #expect(failure == .unavailable(message: "canceling statement due to lock timeout"))
            try await other.execute("COMMIT")
            #expect(try await stores.number("SELECT count(*) FROM pg_class WHERE relname ~ '_2031_..$'") == 0)
            #expect(try await retention(stores).makePartitions(at: now) == 4)
            #expect(try await places(stores) == ["1 2031_07"])
        }
    }

    @Test("months go whole, none that ended after the instant given, and what is asked for alone stays")
    func dropped() async throws {
        try await Stores.lend { stores in
            _ = try await retention(stores).makePartitions(at: Instant(rfc3339: "2023-11-15T00:00:00Z"))
            try await add(["2023-11-30 00:00Z", "2023-12-31 23:59Z", "2024-01-01 00:00Z", "2020-01-01 00:00Z"], stores)
            let call = { (before: String, dryRun: Bool) in
                "SELECT partition_name || ' ' || is_dropped FROM attestwatch.drop_partitions('\(before)', \(dryRun))"
            }
            let two = ["metric_reading_2023_11", "metric_reading_2023_12"]
            #expect(try await stores.texts(call("2024-01-31 23:59Z", true)) == two.map { "\($0) false" })
            #expect(try await places(stores).count == 4)
            #expect(try await stores.texts(call("2024-01-31 23:59Z", false)) == two.map { "\($0) true" })
            #expect(try await stores.texts(call("2024-01-31 23:59Z", false)) == [])
            #expect(try await places(stores) == ["2 2024_01", "3 default"])
            #expect(try await stores.texts(call("2024-02-01 00:00Z", false)) == ["metric_reading_2024_01 true"])
        }
    }

    @Test("no call takes away a month that ended less than 60 days ago")
    func young() async throws {
        try await Stores.lend { stores in
            // Whatever day it is, some of these months ended within the 60 days, and some before them.
            try await stores.execute(
                """
                SELECT attestwatch.make_partitions(clock_timestamp() - interval '1 month' * n)
                FROM generate_series(0, 8) AS n
                """)
            let old = try await stores.texts(
                """
                SELECT relname::text FROM pg_class WHERE relname ~ '^metric_reading_[0-9]{4}_[0-9]{2}$'
                    AND (to_date(right(relname::text, 7), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC'
                        <= clock_timestamp() - interval '60 days'
                ORDER BY 1
                """)
            let count = "SELECT count(*) FROM pg_class WHERE relname ~ '^metric_reading_[0-9]{4}_[0-9]{2}$'"
            let before = try await stores.number(count)
            #expect(!old.isEmpty && before > old.count)
            let gone = try await stores.texts(
                "SELECT partition_name FROM attestwatch.drop_partitions('infinity') WHERE is_dropped")
            #expect(gone == old)
            #expect(try await stores.number(count) == before - old.count)
        }
    }

    @Test("a month that somebody reads is left for the next time, and so are those behind it")
    func inUse() async throws {
        try await Stores.lend { stores in
            _ = try await retention(stores).makePartitions(at: Instant(rfc3339: "2023-11-15T00:00:00Z"))
            let reader = try stores.test.anew()
            try await reader.execute("BEGIN; SELECT count(*) FROM attestwatch.metric_reading")
            let now = try Instant(rfc3339: "2025-03-20T00:00:00Z")
            let left = try await retention(stores).prune(.standard, now: now).partitions
            #expect(left.map(\.name) == ["metric_reading_2023_11", "metric_reading_2023_12", "metric_reading_2024_01"])
            #expect(left.allSatisfy { !$0.isDropped })
            try await reader.execute("COMMIT")
            let gone = try await retention(stores).prune(.standard, now: now).partitions
            #expect(gone.map(\.name) == left.map(\.name) && gone.allSatisfy(\.isDropped))
        }
    }
}
