import Foundation
import TestSupport
import Testing

@Suite("refresh keeps answers that the database refuses")
struct RefusedAnswerTests {
    private static let readings = "SELECT count(*) FROM attestwatch.metric_reading"

    /// Makes the database refuse one key's new receipts for a value in them, as a constraint does.
    private func refuse(_ journal: JournalStage) async throws {
        try await journal.test.execute(
            """
            CREATE FUNCTION attestwatch.test_refuses() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF NEW.key_id = (SELECT key_id FROM attestwatch.attested_key ORDER BY key_id LIMIT 1) THEN
                    RAISE EXCEPTION 'refused for a test' USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER test_refuses BEFORE UPDATE ON attestwatch.receipt
            FOR EACH ROW EXECUTE FUNCTION attestwatch.test_refuses()
            """)
    }

    private func mend(_ journal: JournalStage) async throws {
        try await journal.test.execute(
            "DROP TRIGGER test_refuses ON attestwatch.receipt; DROP FUNCTION attestwatch.test_refuses()")
    }

    /// A run whose answers go in, but for one that the database refuses.
    ///
    /// - Returns: the path of the journal that it leaves.
    private func leaveRefused(_ journal: JournalStage) async throws -> String {
        try await refuse(journal)
        let (result, summary) = try await journal.refresh()
        #expect(result.code == .attention)
        #expect(summary["sent"] == 6 && summary["replaced"] == 5 && summary["failed"] == 1)
        #expect(result.errors.contains("attestwatch: warning: the database refused 1 outcomes"))
        #expect(try await journal.test.number(Self.readings) == 5)
        let name = try #require(try journal.names.first)
        #expect(try journal.names.count == 1 && name.hasSuffix(".journal"))
        return "\(journal.folder)/\(name)"
    }

    @Test("one that was refused stays in the journal, and the next run stores it once the cause is mended")
    func mended() async throws {
        try await TestDatabase.migrated { test in
            let journal = try await JournalStage(test, devices: 6)
            _ = try await leaveRefused(journal)
            try await mend(journal)
            let (result, summary) = try await journal.refresh()
            #expect(result.code == .success)
            #expect(try #require(summary["replayed"]) >= 1)
            #expect(summary["sent"] == 0)
            #expect(try await journal.test.number(Self.readings) == 6)
            let recorded = try await journal.test.number("SELECT sum(replayed) FROM attestwatch.refresh_run")
            #expect(recorded == summary["replayed"])
            #expect(try journal.names.isEmpty)
        }
    }

    @Test("one that is refused again is told of and set aside, and can be taken up later")
    func setAside() async throws {
        try await TestDatabase.migrated { test in
            let journal = try await JournalStage(test, devices: 6)
            let path = try await leaveRefused(journal)
            let (again, _) = try await journal.refresh()
            #expect(again.code == .attention)
            let told = "expected journaled answers that the database takes, found 1 that it refused again, kept in "
            #expect(again.errors.contains("attestwatch: warning: \(told)\(path).refused\nhint: "))
            #expect(try journal.names.map { "\(journal.folder)/\($0)" } == ["\(path).refused"])

            let (third, summary) = try await journal.refresh()
            #expect(third.code == .success && summary["replayed"] == 0)
            #expect(try await journal.test.number(Self.readings) == 5)

            try await mend(journal)
            try FileManager.default.moveItem(atPath: "\(path).refused", toPath: path)
            #expect(try await journal.refresh().result.code == .success)
            #expect(try await journal.test.number(Self.readings) == 6)
            #expect(try journal.names.isEmpty)
        }
    }
}
