import AttestwatchCommand
import Foundation
import TestSupport
import Testing

@Suite("prune, and the partitions that runs make")
struct PruneCommandTests {
    private static let partitions = """
        SELECT relname::text FROM pg_class WHERE relname ~ '^metric_reading_[0-9]{4}_[0-9]{2}$' ORDER BY 1
        """

    @Test("a dry run counts what then goes and changes nothing; what is in use stays")
    func pruned() async throws {
        try await TestDatabase.migrated { test in
            let journal = try await JournalStage(test, devices: 5)
            #expect(try await journal.refresh().result.code == .success)
            try await test.execute(
                """
                SELECT attestwatch.make_partitions('2020-01-15');
                INSERT INTO attestwatch.metric_reading SELECT key_id, '2020-02-01', 1 FROM attestwatch.receipt;
                INSERT INTO attestwatch.metric_reading SELECT key_id, '2019-02-01', 1 FROM attestwatch.receipt;
                INSERT INTO attestwatch.alert (kind, cause, message, hint, opened_time, seen_time, closed_time)
                VALUES ('a.b', 'c', '', '', '2020-01-01', '2020-01-01', '2020-01-01');
                UPDATE attestwatch.refresh_run SET start_time = '2020-01-01';
                """)
            let before = try await journal.rows()
            let expected = """
                {"partitions":["metric_reading_2020_01","metric_reading_2020_02","metric_reading_2020_03",\
                "metric_reading_2020_04"],"partitions_in_use":[],"readings":5,"runs":0,"rejections":0,"alerts":1,\
                "dry_run":
                """
            let dry = try await journal.stage.attestwatch("prune", "--dry-run", "--json")
            #expect(dry.code == .success && dry.output == "\(expected)true}\n", "\(dry.output)")
            #expect(try await journal.rows() == before)
            let real = try await journal.stage.attestwatch("prune", "--json")
            #expect(real.code == .success && real.errors.isEmpty, "\(real.errors)")
            #expect(real.output == "\(expected)false}\n")
            #expect(try await test.number("SELECT count(*) FROM attestwatch.metric_reading") == 5)
            let read = "SELECT count(*) FROM attestwatch.receipt WHERE risk_metric IS NOT NULL"
            #expect(try await test.number(read) == 5)
            let again = try await journal.stage.attestwatch("prune")
            #expect(again.output.hasPrefix("REMOVED     COUNT  MEANING\nmonths          0  -\nreadings        0  "))
        }
    }

    @Test("a month that somebody reads is told of, and is left for the next time")
    func inUse() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 1, hasServer: false)
            try await test.execute("SELECT attestwatch.make_partitions('2020-01-15')")
            try await test.execute("BEGIN; SELECT count(*) FROM attestwatch.metric_reading")
            let result = try await stage.attestwatch("prune", "--json")
            try await test.execute("COMMIT")
            #expect(result.code == .success)
            #expect(
                result.errors.hasPrefix(
                    "attestwatch: warning: expected to drop metric_reading_2020_01, metric_reading_2020_02, "))
            let left = try jsonLines(result.output).first?["partitions_in_use"] as? [String]
            #expect(left?.count == 4)
            #expect(try await stage.attestwatch("prune").errors.isEmpty)
            #expect(try await test.texts(Self.partitions).allSatisfy { !$0.contains("_2020_") })
        }
    }

    @Test("as the months go by, runs make the partition of the month that they are in and of the three after it")
    func madeByRuns() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 1)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            // Over the end of the last month that the first migration makes, and over a year's end.
            let month = 31
            try stage.wait(.days(360))
            for passed in 0..<6 {
                try stage.wait(.days(month))
                let result = try await stage.attestwatch("refresh")
                #expect(!result.errors.contains("partitions"), "\(result.errors)")
                let wanted = try await test.texts(
                    """
                    SELECT 'metric_reading_' || to_char(m, 'YYYY_MM') FROM generate_series(0, 3) AS n,
                    LATERAL (SELECT date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC'
                        + interval '1 day' * \(360 + month * (passed + 1))) + interval '1 month' * n) AS one (m)
                    """)
                #expect(Set(try await test.texts(Self.partitions)).isSuperset(of: wanted))
            }
        }
    }

    @Test("a run that cannot make them says so and goes on")
    func notMade() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 2)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            try stage.wait(.hours(2))
            try await test.execute(
                """
                CREATE OR REPLACE FUNCTION attestwatch.make_partitions(at timestamptz DEFAULT clock_timestamp())
                RETURNS integer LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'broken for a test'; END $$
                """)
            let result = try await stage.attestwatch("refresh", "--json")
            #expect(result.code == .success)
            #expect(
                result.errors.contains(
                    "attestwatch: warning: no partitions were made for the readings of months to come: the database "
                        + "refused make_partitions: broken for a test (SQLSTATE P0001)\nhint: "))
            #expect(try jsonLines(result.output).first?["replaced"] as? Int == 2)
        }
    }
}
