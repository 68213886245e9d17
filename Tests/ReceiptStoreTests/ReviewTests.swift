import AppAttest
import Postgres
import ReceiptStore
import Refresh
import Risk
import TestSupport
import Testing

@Suite("An analyst reviews flags")
struct ReviewTests {
    /// A flag of key 1 at `review`, opened a day after the start.
    private static func lendFlag(
        _ body: @escaping @Sendable (Stores, TestDatabase) async throws -> Void
    ) async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            try await stores.answer([receipt(1, created: start + .days(1), metric: 7)])
            try await stores.test.login(.analyst) { analyst in try await body(stores, analyst) }
        }
    }

    private static let state = """
        SELECT concat_ws(' ', level, version, reviewed_by, review_verdict, review_note,
            reviewed_time BETWEEN now() - interval '1 hour' AND clock_timestamp())
        FROM attestwatch.flagged_device
        """

    /// Reviews every flag as it is read, in the way that README shows.
    private static func review(_ verdict: String, _ note: String = "") -> String {
        "SELECT attestwatch.review_flag(flag_id, version, '\(verdict)', '\(note)') FROM attestwatch.flagged_device"
    }

    @Test("a review stands beside the flag with its verdict, note, time and the login; the level stays")
    func review() async throws {
        try await Self.lendFlag { stores, analyst in
            #expect(try await analyst.texts(Self.state) == ["review 1"])
            try await analyst.execute(Self.review("explained", " the lab''s own device "))
            let name = try analyst.userName
            #expect(
                try await analyst.texts(Self.state) == ["review 2 \(name) explained the lab's own device t"])
            let device = try #require(try await stores.reports.flaggedDevices(at: start + .days(2)).first)
            #expect(device.review?.reviewer == name && device.review?.note == "the lab's own device")
            #expect(device.changedTime == start + .days(1) && device.level == .review)
            try await analyst.execute(Self.review("confirmed"))
            #expect(try await analyst.texts(Self.state) == ["review 3 \(name) confirmed t"])
            #expect(
                try await stores.texts(
                    """
                    SELECT concat_ws(' ', kind, from_level, to_level, verdict, note)
                    FROM attestwatch.flag_event ORDER BY event_id
                    """) == [
                        "opened review", "reviewed review review explained the lab's own device",
                        "reviewed review review confirmed",
                    ])
            let records = PostgresSubjectRecords(database: stores.test.database)
            let record = try #require(try await records.record(of: key(1), at: start + .days(2)))
            #expect(record.flagEvents.map(\.verdict) == ["confirmed", "explained", nil])
        }
    }

    @Test("a raised level wants to be looked at again, a lowered one does not, and a new flag begins without a review")
    func afterwards() async throws {
        try await Self.lendFlag { stores, analyst in
            let name = try analyst.userName
            try await analyst.execute(Self.review("unclear"))
            try await stores.answer([receipt(1, created: start + .days(2), metric: 25)])
            #expect(try await analyst.texts(Self.state) == ["high 3"])
            try await analyst.execute(Self.review("confirmed"))
            try await stores.answer([receipt(1, created: start + .days(40), metric: 7)])
            #expect(try await analyst.texts(Self.state) == ["review 5 \(name) confirmed t"])
            try await stores.answer([receipt(1, created: start + .days(80), metric: 1)])
            #expect(try await analyst.texts(Self.state) == [])
            try await stores.answer([receipt(1, created: start + .days(81), metric: 4)])
            #expect(try await analyst.texts(Self.state) == ["watch 1"])
        }
    }

    /// A call that is refused, and how.
    struct Refusal: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let call: String
        let sqlState: String
        let message: String
    }

    @Test(
        "what is not a review of the open flag as it was read is refused with what was expected and found",
        arguments: [
            Refusal(
                testDescription: "a version of before", call: "flag_id, version - 1, 'unclear'", sqlState: "55000",
                message: "expected flag 1 at version 0, found it at version 1"),
            Refusal(
                testDescription: "no version", call: "flag_id, NULL, 'unclear'", sqlState: "55000",
                message: "expected flag 1 at version <NULL>, found it at version 1"),
            Refusal(
                testDescription: "no such flag", call: "99, 1, 'unclear'", sqlState: "P0002",
                message: "expected an open flag, found none with flag_id 99"),
            Refusal(
                testDescription: "an unknown word", call: "flag_id, version, 'fraud'", sqlState: "22023",
                message: "expected the verdict confirmed, explained or unclear, found 'fraud'"),
            Refusal(
                testDescription: "no word", call: "flag_id, version, NULL", sqlState: "22023",
                message: "expected the verdict confirmed, explained or unclear, found none"),
            Refusal(
                testDescription: "a note too long", call: "flag_id, version, 'unclear', repeat('x', 1001)",
                sqlState: "22023", message: "expected a note of at most 1000 characters, found 1001"),
        ])
    func refused(refusal: Refusal) async throws {
        try await Self.lendFlag { stores, analyst in
            let sql = "SELECT attestwatch.review_flag(\(refusal.call)) FROM attestwatch.flagged_device"
            await #expect(
                throws: PostgresError.queryFailed(query: "test", sqlState: refusal.sqlState, message: refusal.message)
            ) { try await analyst.execute(sql) }
            let events = try await stores.number("SELECT count(*) FROM attestwatch.flag_event")
            #expect(events == 1)
        }
    }

    @Test("a closed flag is refused as one that is none")
    func closed() async throws {
        try await Self.lendFlag { stores, analyst in
            try await stores.answer([receipt(1, created: start + .days(2), metric: 0)])
            #expect(
                try await analyst.statements(
                    ["SELECT attestwatch.review_flag(1, 2, 'unclear')"], notEndingWith: "P0002") == [])
        }
    }

    @Test("of two analysts who read the same flag the second is told to read it again; a run goes on after either")
    func compareAndSet() async throws {
        try await Self.lendFlag { stores, analyst in
            let call = "SELECT attestwatch.review_flag(1, 1, 'explained')"
            let other = try analyst.anew()
            async let first = analyst.statements([call, call], notEndingWith: nil)
            async let second = other.statements([call], notEndingWith: nil)
            // Each is undone, so each may find the flag as it was.
            let undone = try await first + second
            #expect(undone == [])
            try await analyst.execute(call)
            #expect(try await other.statements([call], notEndingWith: "55000") == [])
            let stored = try await stores.answer([receipt(1, created: start + .days(2), metric: 30)])
            #expect(stored.map(\.flagChange) == [.raised(from: .review, to: .high)])
        }
    }

    @Test("a transaction that has reviewed and then stands still is ended before runs give up waiting for it")
    func idle() async throws {
        try await Self.lendFlag { _, analyst in
            let limit = try await analyst.database.transaction { connection throws(PostgresError) in
                try connection.runScript(Query(name: "test", sql: Self.review("unclear")))
                var rows = try connection.run(
                    Query(name: "test", sql: "SELECT current_setting('idle_in_transaction_session_timeout')"))
                _ = rows.next()
                return try rows.read(String.self)
            }
            #expect(limit == "10s")
        }
    }

    @Test("what an operator had granted on the list is kept when reviews come to it")
    func grantsAreKept() async throws {
        try await TestDatabase.empty { test in
            let before = TestDatabase.files.filter { $0.number < 14 }
            _ = try await Migrator(database: test.database, files: before).migrate()
            try await test.login { reader in
                let name = try reader.userName
                try await test.execute(
                    """
                    GRANT USAGE ON SCHEMA attestwatch TO \(name);
                    GRANT SELECT ON attestwatch.flagged_device TO \(name) WITH GRANT OPTION;
                    GRANT EXECUTE ON FUNCTION attestwatch.flagged_devices(timestamptz) TO \(name)
                    """)
                _ = try await Migrator(
                    database: test.database, files: TestDatabase.files, access: TestDatabase.access
                ).migrate()
                #expect(
                    try await reader.statements(
                        [
                            "SELECT version, reviewed_by FROM attestwatch.flagged_device",
                            "GRANT SELECT ON attestwatch.flagged_device TO attestwatch_analyst",
                        ], notEndingWith: nil) == [])
            }
        }
    }
}
