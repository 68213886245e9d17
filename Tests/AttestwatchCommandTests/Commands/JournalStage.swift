import Foundation
import TestSupport
import Testing

/// A stage whose store fails while answers come in, so that they are left in a journal.
struct JournalStage {
    let stage: Stage
    let test: TestDatabase

    /// Takes receipts in and lets the time of their first reading come: two hours, or as long as it takes until heavy
    /// devices show as such.
    init(
        _ test: TestDatabase, devices: Int = 40, heavyShare: Double = 0, scenario: String? = nil,
        after time: Duration = .hours(2)
    ) async throws {
        self.test = test
        stage = try Stage(test, devices: devices, heavyShare: heavyShare, scenario: scenario)
        #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
        try stage.wait(time)
    }

    var folder: String { stage.attestwatch.folder.appending(path: "state").path }

    /// What is in the state folder, but for the note of the last run.
    var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != "last-run.json" }.sorted()
        }
    }

    /// Makes every merge fail, as a fault of the database would that no retry mends.
    func breakStore() async throws {
        try await test.execute(
            """
            CREATE FUNCTION attestwatch.test_fails() RETURNS trigger LANGUAGE plpgsql
            AS $$ BEGIN RAISE EXCEPTION 'broken for a test' USING ERRCODE = 'XX000'; END $$;
            CREATE TRIGGER test_fails BEFORE UPDATE ON attestwatch.receipt
            FOR EACH STATEMENT EXECUTE FUNCTION attestwatch.test_fails()
            """)
    }

    func mendStore() async throws {
        try await test.execute("DROP TRIGGER test_fails ON attestwatch.receipt; DROP FUNCTION attestwatch.test_fails()")
    }

    /// A run that receives answers and cannot store them.
    ///
    /// - Returns: the journal that it leaves, and how many answers it received.
    func leaveJournal() async throws -> (path: String, count: Int) {
        try await breakStore()
        let result = try await stage.attestwatch("refresh")
        try await mendStore()
        let count = try stage.ledger().count
        #expect(result.code == .database)
        #expect(result.errors.contains("; \(count) outcomes were not stored, \(count) of them are in the journal\n"))
        let name = try #require(try names.first)
        #expect(try names.count == 1 && name.hasSuffix(".journal"))
        return ("\(folder)/\(name)", count)
    }

    /// A refresh with its summary.
    func refresh(_ more: String...) async throws -> (result: CommandRunner.Result, summary: [String: Int]) {
        let result = try await stage.attestwatch.run(["refresh", "--json"] + more)
        return (result, try jsonLines(result.output).first as? [String: Int] ?? [:])
    }

    /// Every row of these tables of the schema, in one text each.
    func rows(
        of tables: [String] = ["attested_key", "receipt", "metric_reading", "schedule", "flag", "flag_event"]
    ) async throws -> [String] {
        var texts: [String] = []
        for table in tables {
            let text = "coalesce(string_agg(t::text, '|' ORDER BY t::text), '')"
            texts += try await test.texts("SELECT '\(table) ' || \(text) FROM attestwatch.\(table) t")
        }
        return texts
    }
}
